// Reading position sets: recursive descent over the grammar of position_set.h, one function a binding strength.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>

#include "checkers/patterns/position_set.h"
#include "runtime/base/error.h"

namespace faultline {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  PositionSet whole() {
    PositionSet set = exception();
    skip();
    if (at_ != text_.size()) fail("the end, \"and\", \"or\" or \"except\"");
    return set;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw UserError(fmt::format("position set, column {}: expected {} at '{}'", at_ + 1, expected, text_.substr(at_)));
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool accept(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    const size_t after = at_ + token.size();
    const bool word = std::isalpha(static_cast<unsigned char>(token.back())) != 0;
    if (word && after < text_.size() && std::isalpha(static_cast<unsigned char>(text_[after])) != 0) return false;
    at_ = after;
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }

  bool digit_ahead() {
    skip();
    return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
  }

  int64_t number() {
    skip();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a number that is not negative");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  int64_t positive() {
    const size_t before = at_;
    const int64_t value = number();
    if (value == 0) at_ = before, fail("a number greater than zero");
    return value;
  }

  double real() {
    skip();
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number");
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  int dim() {
    expect("dim");
    return static_cast<int>(number());
  }

  std::pair<int64_t, int64_t> bounds() {
    expect("[");
    const int64_t begin = number();
    expect(",");
    const int64_t end = number();
    expect(")");
    if (end < begin) fail(fmt::format("a range that does not end before it begins, not [{},{})", begin, end));
    return {begin, end};
  }

  PositionSet exception() {
    PositionSet set = combination();
    while (accept("except")) {
      if (digit_ahead())
        set = listed(std::move(set));
      else
        set = PositionSet::without(std::move(set), combination());
    }
    return set;
  }

  PositionSet listed(PositionSet base) {
    std::vector<int64_t> indices{number()};
    while (accept(",")) indices.push_back(number());
    if (indices.size() > 8) fail("at most eight indices, then \"and N more\"");
    int64_t more = 0;
    if (accept("and")) {
      more = positive();
      expect("more");
    }
    PositionSet set = PositionSet::except(std::move(base), std::move(indices));
    set.end = more;
    return set;
  }

  PositionSet combination() {
    PositionSet set = intersection();
    while (accept("or")) set = PositionSet::either(std::move(set), intersection());
    return set;
  }

  PositionSet intersection() {
    PositionSet set = primary();
    while (accept("and")) set = PositionSet::both(std::move(set), primary());
    return set;
  }

  PositionSet primary() {
    if (accept("(")) {
      PositionSet set = exception();
      expect(")");
      return set;
    }
    if (accept("{}")) return PositionSet::nothing();
    if (accept("all")) return PositionSet::everything();
    if (accept("phys")) return PositionSet::physical(primary());
    if (accept("bits")) {
      const auto [begin, end] = bounds();
      return PositionSet::bits(begin, end, primary());
    }
    if (accept("rows")) return rows();
    if (accept("last")) {
      expect("of");
      return PositionSet::last(dim());
    }
    if (accept("tail")) return tail();
    if (accept("tiles")) return cycle();
    if (accept("tile")) return tile();
    if (accept("core")) return core();
    if (accept("{")) return braces();
    if (accept("dim")) return slice(static_cast<int>(number()));
    skip();
    if (at_ < text_.size() && text_[at_] == '[') {
      const auto [begin, end] = bounds();
      return PositionSet::range(begin, end);
    }
    fail("a position set");
  }

  PositionSet rows() {
    if (accept("..")) {
      const int64_t end = number();
      expect("of");
      return PositionSet::rows_to(dim(), end);
    }
    const int64_t first = number();
    expect("..");
    expect("of");
    return PositionSet::rows_from(dim(), first);
  }

  PositionSet slice(int dim) {
    if (accept("=")) return PositionSet::row(dim, number());
    const auto [begin, end] = bounds();
    return PositionSet::slice(dim, begin, end);
  }

  PositionSet tail() {
    expect("of");
    const int along = dim();
    expect("beyond");
    expect("k*");
    return PositionSet::tail(along, positive());
  }

  Sizes extents() {
    Sizes sizes{positive()};
    while (accept("x")) sizes.push_back(positive());
    return sizes;
  }

  PositionSet tile() {
    expect("(");
    std::vector<int64_t> coordinates{number()};
    while (accept(",")) coordinates.push_back(number());
    expect(")");
    expect("of");
    Sizes sizes = extents();
    if (sizes.size() != coordinates.size()) fail("as many extents as coordinates");
    return PositionSet::tile(std::move(coordinates), std::move(sizes));
  }

  PositionSet cycle() {
    expect("{");
    expect("t");
    expect(":");
    expect("t");
    expect("mod");
    const int64_t modulus = positive();
    expect("=");
    const int64_t residue = number();
    expect("}");
    expect("of");
    return PositionSet::tile_cycle(modulus, residue, extents());
  }

  PositionSet core() {
    const int64_t index = number();
    expect("of");
    const int64_t cores = positive();
    const int64_t extent = accept("by") ? positive() : 0;
    expect("on");
    return PositionSet::core(index, cores, dim(), extent);
  }

  // A residue class "{i : i_1 mod 16 = 2}", its short form "{i_1 mod 16 = 2}", or a value rule.
  PositionSet braces() {
    if (accept("|")) return magnitude();
    skip();
    const bool class_ahead = text_.substr(at_, 2) == "i " || text_.substr(at_, 2) == "i_";
    if (!class_ahead) return value();
    int along = index();
    if (accept(":")) along = index();
    expect("mod");
    const int64_t modulus = positive();
    int64_t begin = 0, end = 0;
    if (accept("=")) {
      begin = number();
      end = begin + 1;
    } else {
      expect("in");
      std::tie(begin, end) = bounds();
    }
    expect("}");
    return PositionSet::residues(along, modulus, begin, end);
  }

  int index() {
    skip();
    if (text_.substr(at_, 2) == "i_") {
      at_ += 2;
      return static_cast<int>(number());
    }
    expect("i");
    return -1;
  }

  std::string name_until(std::string_view stop) {
    const size_t end = text_.find(stop, at_);
    if (end == std::string_view::npos || end == at_) fail(fmt::format("a name and '{}'", stop));
    std::string name(text_.substr(at_, end - at_));
    at_ = end + stop.size();
    return name;
  }

  PositionSet magnitude() {
    std::string source = name_until("| >= ");
    const double low = real();
    expect("}");
    return PositionSet::values("magnitude", std::move(source), low, std::numeric_limits<double>::infinity());
  }

  PositionSet value() {
    std::string feature = name_until(" of ");
    const size_t equals = text_.find(" = ", at_), within = text_.find(" in [", at_);
    std::string source = name_until(equals < within ? " = " : " in [");
    const double low = real();
    double high = low + 1;
    if (within < equals) {
      expect(",");
      high = real();
      expect(")");
    }
    expect("}");
    return PositionSet::values(std::move(feature), std::move(source), low, high);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

PositionSet parse_position_set(std::string_view text) { return Parser(text).whole(); }

}  // namespace faultline
