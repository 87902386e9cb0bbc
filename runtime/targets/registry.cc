// The table of targets, and the check of their options.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "runtime/targets/target.h"

namespace faultline {

static constexpr const Target* kRows[] = {
#define TARGET(name) &target_##name,
#include "runtime/targets/targets.def"
#undef TARGET
};
constinit const Table<Target> targets{kRows};

namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t bar = std::min(text.find('|'), text.size());
    parts.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return parts;
}

// "32..1" counts down from its default.
bool in_range(std::string_view range, std::string_view text) {
  const size_t dots = range.find("..");
  if (dots == std::string_view::npos) return false;
  int64_t first = 0, last = 0, value = 0;
  std::from_chars(range.data(), range.data() + dots, first);
  std::from_chars(range.data() + dots + 2, range.data() + range.size(), last);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= std::min(first, last) &&
         value <= std::max(first, last);
}

std::string default_of(std::string_view values) {
  const size_t dots = values.find("..");
  return dots == std::string_view::npos ? split(values).front() : std::string(values.substr(0, dots));
}

}  // namespace

std::unique_ptr<TargetModel> make_target(const Target& target, const std::map<std::string, std::string>& options) {
  std::map<std::string, std::string> complete;
  std::vector<std::string> ids;
  for (const TargetOption& option : target.options) {
    complete[std::string(option.id)] = default_of(option.values);
    ids.emplace_back(option.id);
  }
  for (const auto& [id, value] : options) {
    const TargetOption* found = nullptr;
    for (const TargetOption& option : target.options)
      if (option.id == id) found = &option;
    if (found == nullptr)
      throw UserError(fmt::format("target {} has no option '{}'{}", target.id, id, did_you_mean(id, ids)));
    const std::vector<std::string> values = split(found->values);
    const bool listed = std::find(values.begin(), values.end(), value) != values.end();
    if (!listed && !in_range(found->values, value))
      throw UserError(fmt::format("option {} of target {} wants {}, found '{}'{}", id, target.id, found->values, value,
                                  did_you_mean(value, values)));
    complete[id] = value;
  }
  return target.make(complete);
}

}  // namespace faultline
