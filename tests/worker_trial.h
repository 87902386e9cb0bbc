// What tests of workers share: commands that start them, and requests on small tensors.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backends/worker/worker.h"

namespace faultline {

inline std::string project_python() {
  const std::string own = FAULTLINE_SOURCE_DIR "/.venv/bin/python";
  return std::filesystem::exists(own) ? own : "python3";
}

inline WorkerCommand torch_command() {
  WorkerCommand command;
  command.command = {project_python(), FAULTLINE_SOURCE_DIR "/python/faultline/workers/torch_worker.py"};
  return command;
}

template <class Element>
Tensor tensor_of(DType dtype, Sizes sizes, const std::vector<Element>& elements) {
  Tensor result = make_tensor(contiguous_type(dtype, std::move(sizes)));
  EXPECT_EQ(result.storage->size(), elements.size() * sizeof(Element));
  std::memcpy(result.data(), elements.data(), result.storage->size());
  return result;
}

template <class Element>
std::vector<Element> elements_of(const Value& value) {
  const Tensor* tensor = value.tensor();
  if (!tensor) return {};
  std::vector<Element> result(static_cast<size_t>(element_count(tensor->type.sizes)));
  for (size_t i = 0; i < result.size(); ++i)
    std::memcpy(&result[i], tensor->data() + sizeof(Element) * storage_index(tensor->type, static_cast<int64_t>(i)),
                sizeof(Element));
  return result;
}

inline std::string said(const RunReply& reply) {
  return std::string(name(reply.status)) + " in " + reply.phase + ": " + reply.text + "\n" + reply.stderr_tail;
}

}  // namespace faultline
