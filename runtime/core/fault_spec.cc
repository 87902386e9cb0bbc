// Fault text: a hand-written reader over one table of keys, which also orders the printing.
#include "runtime/core/fault_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <functional>
#include <limits>
#include <set>

#include "runtime/base/error.h"
#include "runtime/base/one_line.h"

namespace faultline {

namespace {

[[noreturn]] void bad(std::string_view what) { throw UserError("fault: " + std::string(what)); }

template <class T>
T number(std::string_view key, std::string_view text) {
  T value{};
  int base = 10;
  std::string_view digits = text;
  if (text.starts_with("0x")) {
    base = 16;
    digits.remove_prefix(2);
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size())
    bad(fmt::format("{}= wants a whole number, found '{}'", key, text));
  return value;
}

int64_t integer(std::string_view key, std::string_view text) { return number<int64_t>(key, text); }

int64_t count(std::string_view key, std::string_view text) {
  const int64_t value = integer(key, text);
  if (value < 1) bad(fmt::format("{}= wants a whole number from 1, found '{}'", key, text));
  return value;
}

// Units of `space`: B, KiB, MiB.
int64_t byte_count(std::string_view key, std::string_view text) {
  constexpr int64_t kMost = int64_t{1} << 40;
  std::string_view digits = text;
  int64_t unit = 1;
  for (const auto& [suffix, factor] : {std::pair<std::string_view, int64_t>{"KiB", 1024}, {"MiB", 1 << 20}, {"B", 1}}) {
    if (!digits.ends_with(suffix)) continue;
    digits.remove_suffix(suffix.size());
    unit = factor;
    break;
  }
  const int64_t units = count(key, digits);
  if (units > kMost / unit) bad(fmt::format("{}= wants at most {}MiB, found '{}'", key, kMost >> 20, text));
  return units * unit;
}

Ratio probability(std::string_view key, std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const Ratio value{integer(key, text.substr(0, slash)), integer(key, text.substr(slash + 1))};
    const bool drawable = value.denominator >= 1 && value.denominator <= std::numeric_limits<uint32_t>::max();
    if (drawable && value.numerator >= 0 && value.numerator <= value.denominator) return value;
  }
  bad(fmt::format("{}= wants a ratio from 0/1 to 1/1, like 1/4, found '{}'", key, text));
}

struct Key {
  std::string_view name;
  std::function<void(FaultSpec&, std::string_view)> read;
  std::function<std::string(const FaultSpec&)> print;  // empty: default
};

std::string print_optional(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : std::string();
}
std::string print_ratio(const std::optional<Ratio>& value) {
  return value ? fmt::format("{}/{}", value->numerator, value->denominator) : std::string();
}
std::string print_count(int64_t value) { return value != 0 ? std::to_string(value) : std::string(); }

// In canonical order.
const std::vector<Key>& keys() {
  using S = const FaultSpec&;
  static const std::vector<Key> table = {
      {"p", [](FaultSpec& f, auto t) { f.p = probability("p", t); }, [](S f) { return print_ratio(f.p); }},
      {"nth", [](FaultSpec& f, auto t) { f.nth = count("nth", t); }, [](S f) { return print_count(f.nth); }},
      {"every", [](FaultSpec& f, auto t) { f.every = count("every", t); }, [](S f) { return print_count(f.every); }},
      {"times", [](FaultSpec& f, auto t) { f.times = count("times", t); }, [](S f) { return print_count(f.times); }},
      {"space", [](FaultSpec& f, auto t) { f.space = byte_count("space", t); },
       [](S f) { return print_count(f.space); }},
      {"arm", [](FaultSpec& f, auto t) { f.arm = probability("arm", t); }, [](S f) { return print_ratio(f.arm); }},
      {"bits", [](FaultSpec& f, auto t) { f.bits = integer("bits", t); }, [](S f) { return print_optional(f.bits); }},
      {"mask", [](FaultSpec& f, auto t) { f.mask = integer("mask", t); },
       [](S f) { return f.mask ? fmt::format("0x{:x}", *f.mask) : std::string(); }},
      {"offset", [](FaultSpec& f, auto t) { f.offset = integer("offset", t); },
       [](S f) { return print_optional(f.offset); }},
      {"ticks", [](FaultSpec& f, auto t) { f.ticks = integer("ticks", t); },
       [](S f) { return print_optional(f.ticks); }},
      {"seed", [](FaultSpec& f, auto t) { f.seed = number<uint64_t>("seed", t); },
       [](S f) { return f.seed != 0 ? std::to_string(f.seed) : std::string(); }},
  };
  return table;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Reads one key=value, and says which key.
std::string_view read_setting(FaultSpec& fault, std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) bad(fmt::format("expected setting=value, found '{}'", word));
  const std::string_view name = word.substr(0, equals);
  std::vector<std::string> names;
  for (const Key& key : keys()) {
    if (key.name == name) {
      key.read(fault, word.substr(equals + 1));
      return key.name;
    }
    names.emplace_back(key.name);
  }
  const std::string meant = did_you_mean(name, names);
  bad(fmt::format("unknown setting '{}' of {}{}; settings: {}", name, fault.id, meant, fmt::join(names, ", ")));
}

FaultSpec parse_one(std::string_view text) {
  text = trim(text);
  FaultSpec fault;
  const size_t name_end = std::min(text.find_first_of("( "), text.size());
  fault.id = text.substr(0, name_end);
  if (fault.id.find('.') == std::string::npos) bad(fmt::format("expected layer.name(site), found '{}'", text));
  text.remove_prefix(name_end);
  if (text.starts_with("(")) {
    const size_t close = text.find(')');
    if (close == std::string_view::npos) bad(fmt::format("'{}' has no closing ')'", fault.id));
    fault.site = text.substr(1, close - 1);
    if (fault.site.empty()) fault.site = "*";
    if (fault.site.find('=') != std::string::npos)
      bad(fmt::format("settings stand behind the site: {0}(*) {1}, found '{0}({1})'", fault.id, fault.site));
    text.remove_prefix(close + 1);
  }
  std::set<std::string_view> given;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view key = read_setting(fault, text.substr(0, end));
    if (!given.insert(key).second) bad(fmt::format("{}= is given twice to {}", key, fault.id));
    text.remove_prefix(end);
  }
  return fault;
}

template <class F>
void split(std::string_view text, std::string_view separator, F&& take) {
  while (true) {
    const size_t at = text.find(separator);
    take(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + separator.size());
  }
}

}  // namespace

std::vector<FaultChain> parse_faults(std::string_view text) {
  std::vector<FaultChain> chains;
  need_one_line("fault", text);
  split(text, ";", [&](std::string_view term) {
    FaultChain chain;
    split(term, "->", [&](std::string_view fault) { chain.push_back(parse_one(fault)); });
    chains.push_back(std::move(chain));
  });
  return chains;
}

std::vector<std::string> given_settings(const FaultSpec& fault) {
  std::vector<std::string> names;
  for (const Key& key : keys())
    if (!key.print(fault).empty()) names.emplace_back(key.name);
  return names;
}

std::string to_text(const FaultSpec& fault) {
  std::string text = fmt::format("{}({})", fault.id, fault.site);
  for (const Key& key : keys())
    if (const std::string value = key.print(fault); !value.empty()) text += fmt::format(" {}={}", key.name, value);
  return text;
}

std::string to_text(const std::vector<FaultChain>& faults) {
  std::string text;
  for (const FaultChain& chain : faults) {
    if (!text.empty()) text += "; ";
    for (size_t i = 0; i < chain.size(); ++i) text += (i == 0 ? "" : " -> ") + to_text(chain[i]);
  }
  return text;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace faultline
