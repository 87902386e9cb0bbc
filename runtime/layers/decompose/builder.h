// The state of functionalisation: tensors of the segment are views of storages, a storage's current contents are one
// node of the graph, and a write replaces that node. What op rows see.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/layers/decompose/graph_builder.h"
#include "runtime/layers/decompose/view.h"

namespace faultline {

// A tensor: what `path` shows of a storage, and how it lies there (strides and offset count elements of the storage).
struct TensorValue {
  int storage = -1;
  std::vector<ViewStep> path;
  TensorType type;
};

struct Storage {
  int node = -1;  // the contents as the dense tensor `base`
  TensorType base;
  int input = -1;  // the input that owns it
  bool written = false;
  int version = 0;
};

class Builder : public GraphBuilder {
 public:
  // A tensor in a storage of its own.
  TensorValue fresh(int node) { return fresh(node, contiguous_strides(sizes(node))); }
  TensorValue fresh(int node, const Sizes& strides);
  // The same where the tensor does not begin with its storage.
  TensorValue fresh(int node, const Sizes& strides, int64_t offset);
  TensorValue input_tensor(int input, int node, const TensorType& type);
  // More steps of view; `type` has the sizes of the last.
  TensorValue view(const TensorValue& tensor, std::vector<ViewStep> steps, TensorType type) const;

  // The node of a tensor's contents now.
  int read(const TensorValue& tensor);
  // Replaces the contents, for every tensor of the storage. `node` has the tensor's sizes and dtype.
  void write(const TensorValue& tensor, int node);

  const std::vector<Storage>& storages() const { return storages_; }

 private:
  struct Shown {
    int storage, version, node;
    std::vector<ViewStep> path;
  };

  int show_path(const TensorValue& tensor, size_t steps);

  std::vector<Storage> storages_;
  std::vector<Shown> shown_;
};

}  // namespace faultline
