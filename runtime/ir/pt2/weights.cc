// A payload is the raw storage of the largest tensor of an alias group; every name in the group views it with its own
// sizes, strides and offset.
#include "runtime/ir/pt2/weights.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/schema.h"

namespace faultline {

Weights::Weights(const Archive& archive, const std::string& model) : archive_(archive) {
  read_config("data/weights/" + model + "_weights_config.json", "data/weights/");
  read_config("data/constants/" + model + "_constants_config.json", "data/constants/");
}

void Weights::read_config(const std::string& config, const std::string& folder) {
  if (!archive_.has(config)) return;
  documents_.push_back(std::make_unique<JsonDocument>(archive_.read_text(config), archive_.file(), config));
  for (const auto& [fqn, view] : documents_.back()->root().at("config").members()) {
    Payload payload;
    payload.member = folder + view.at("path_name").text();
    payload.pickled = view.at("use_pickle").boolean();
    if (!payload.pickled) payload.type = read_tensor_type(view.at("tensor_meta"));
    if (!payloads_.try_emplace(fqn, payload, view).second)
      view.fail(fmt::format("expected one payload for '{}', found another among the weights", printable(fqn)));
  }
}

std::string Weights::new_path(const std::string& fqn, const Program& program) {
  std::string path = fqn;
  for (char& c : path)
    if (c != '.' && !is_identifier(std::string("_") + c)) c = '_';
  if (!is_attribute_path(path)) {
    for (char& c : path)
      if (c == '.') c = '_';
    path += path.empty() ? "attribute" : "";
  }
  std::string unique = path;
  while (program.attributes.count(unique)) unique = fmt::format("{}_{}", path, ++repeats_[path]);
  return unique;
}

std::string Weights::attribute(const std::string& fqn, const JsonView& place, Program& program) {
  const auto known = attributes_.find(fqn);
  if (known != attributes_.end()) return known->second;
  const auto found = payloads_.find(fqn);
  if (found == payloads_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : payloads_) names.push_back(name);
    place.fail(fmt::format("expected the name of a weight or constant, found '{}'{}", printable(fqn),
                           printable(did_you_mean(fqn, names))));
  }
  const auto& [payload, view] = found->second;
  if (payload.pickled)
    view.fail("expected raw bytes, found a pickled object (use_pickle), which this reader does not execute");

  Program::Attribute attribute;
  attribute.type = payload.type;
  const std::string path = new_path(fqn, program);
  std::shared_ptr<std::vector<std::byte>> storage;
  const auto owner = owners_.find(payload.member);
  if (owner == owners_.end()) {
    const auto bytes = archive_.read(payload.member);
    storage = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    owners_[payload.member] = path;
  } else {
    const Program::Attribute& first = program.attributes.at(owner->second);
    if (first.type.dtype != payload.type.dtype)
      view.fail(fmt::format("expected the element type {} of '{}' over the same bytes, found {}",
                            name(first.type.dtype), owner->second, name(payload.type.dtype)));
    storage = std::get<Tensor>(first.value).storage;
    attribute.alias_of = owner->second;
    shared_.insert({path, owner->second});
  }
  const auto needed = static_cast<size_t>(storage_elements(payload.type) * byte_size(payload.type.dtype));
  if (storage->size() < needed)
    view.fail(fmt::format("expected {} bytes for {}, found {} in '{}'", needed, to_text(payload.type), storage->size(),
                          printable(payload.member)));
  attribute.value = Tensor{payload.type, storage};
  program.attributes.emplace(path, std::move(attribute));
  attributes_[fqn] = path;
  return path;
}

}  // namespace faultline
