// The named settings of Spyre's arithmetic.
#include <charconv>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/targets/spyre/arithmetic.h"

namespace faultline::spyre {

SpyreQuirks spyre_preset(std::string_view name) {
  SpyreQuirks quirks;
  if (name == "autumn") return quirks;
  const std::vector<std::string> names = {"autumn", "spring"};
  if (name != "spring") throw UserError("unknown spyre preset '" + std::string(name) + "'" + did_you_mean(name, names));
  quirks.h2d_round = Rounding::toward_zero;
  quirks.h2d_special = SpyreQuirks::Special::as_finite;
  quirks.d2h_bf16 = Rounding::toward_zero;
  return quirks;
}

template <class Setting>
struct Choice {
  std::string_view text;
  Setting setting;
};

template <class Setting>
static void choose(Setting& target, std::string_view quirk, std::string_view text,
                   std::vector<Choice<Setting>> choices) {
  std::vector<std::string> names;
  for (const Choice<Setting>& choice : choices) {
    if (choice.text == text) {
      target = choice.setting;
      return;
    }
    names.emplace_back(choice.text);
  }
  throw UserError("unknown setting '" + std::string(text) + "' of spyre quirk '" + std::string(quirk) + "'" +
                  did_you_mean(text, names));
}

// "chunk(n)", 2 <= n <= 65536.
static void set_psum(SpyreQuirks& quirks, std::string_view text) {
  using Psum = SpyreQuirks::Psum;
  if (!text.starts_with("chunk(") || !text.ends_with(")"))
    return choose<Psum>(quirks.psum, "psum", text, {{"f32", Psum::f32}, {"dl16", Psum::dl16}, {"chunk", Psum::chunk}});
  const std::string_view number = text.substr(6, text.size() - 7);
  int length = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), length);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() || length < 2 || length > 65536)
    throw UserError("psum chunk is '" + std::string(number) + "' when it should be a number from 2 to 65536");
  quirks.psum = Psum::chunk;
  quirks.psum_chunk = length;
}

void set_quirk(SpyreQuirks& quirks, std::string_view name, std::string_view setting) {
  using Carry = SpyreQuirks::Carry;
  using Subnormal = SpyreQuirks::Subnormal;
  using Special = SpyreQuirks::Special;
  const std::vector<Choice<Rounding>> roundings = {
      {"ties_up", Rounding::ties_up}, {"trunc", Rounding::toward_zero}, {"rne", Rounding::nearest_even}};
  if (name == "h2d_round") return choose(quirks.h2d_round, name, setting, roundings);
  if (name == "op_round") return choose(quirks.op_round, name, setting, roundings);
  if (name == "h2d_carry")
    return choose<Carry>(quirks.h2d_carry, name, setting, {{"saturate", Carry::saturate}, {"carry", Carry::carry}});
  if (name == "h2d_sub")
    return choose<Subnormal>(quirks.h2d_sub, name, setting,
                             {{"halve", Subnormal::halve}, {"exact", Subnormal::exact}, {"flush", Subnormal::flush}});
  if (name == "h2d_special")
    return choose<Special>(
        quirks.h2d_special, name, setting,
        {{"preserve", Special::preserve}, {"as_finite", Special::as_finite}, {"big_finite", Special::big_finite}});
  if (name == "d2h")
    return choose<Rounding>(quirks.d2h_bf16, name, setting,
                            {{"nearest", Rounding::nearest_even}, {"trunc", Rounding::toward_zero}});
  if (name == "const_inf")
    return choose<bool>(quirks.const_inf_is_nan, name, setting, {{"nan", true}, {"largest", false}});
  if (name == "psum") return set_psum(quirks, setting);
  const std::vector<std::string> names = {"h2d_round", "h2d_carry", "h2d_sub",  "h2d_special",
                                          "d2h",       "const_inf", "op_round", "psum"};
  throw UserError("unknown spyre quirk '" + std::string(name) + "'" + did_you_mean(name, names));
}

}  // namespace faultline::spyre
