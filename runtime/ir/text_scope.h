// Which names a body may use at the current place. A name is defined once on every path; both branches of an `if` may
// define the same name, and only a name that both define is visible after it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace faultline {

enum class ValueKind : unsigned char { tensor, scalar, unknown };  // unknown: results of calls, and mixtures

class TextScope {
 public:
  // False when the name was defined before on this path.
  bool define(const std::string& name, ValueKind kind) {
    if (!ever_.insert(name).second) return false;
    visible_[name] = kind;
    return true;
  }
  // An assignment that may repeat: an attribute that this program writes.
  void assign(const std::string& name, ValueKind kind) {
    ever_.insert(name);
    visible_[name] = kind;
  }
  const ValueKind* find(const std::string& name) const {
    const auto found = visible_.find(name);
    return found == visible_.end() ? nullptr : &found->second;
  }
  bool defined_elsewhere(const std::string& name) const { return ever_.count(name) > 0; }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& [name, kind] : visible_) result.push_back(name);
    return result;
  }

  // What is visible after two branches that both started from the same scope.
  static TextScope join(const TextScope& a, const TextScope& b) {
    TextScope result;
    for (const auto& [name, kind] : a.visible_)
      if (const ValueKind* other = b.find(name)) result.visible_[name] = kind == *other ? kind : ValueKind::unknown;
    result.ever_ = a.ever_;
    result.ever_.insert(b.ever_.begin(), b.ever_.end());
    return result;
  }

 private:
  std::map<std::string, ValueKind> visible_;
  std::set<std::string> ever_;
};

}  // namespace faultline
