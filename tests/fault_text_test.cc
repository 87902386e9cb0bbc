// The text of a fault says what it does: what a fault does not read is refused, with what it does read; numbers are
// within their ranges; nothing is said twice; and what is printed reads as the same fault again.
#include <gtest/gtest.h>

#include "faults/fault_gate.h"
#include "runtime/base/error.h"
#include "runtime/core/case.h"

namespace faultline {
namespace {

std::string complaint(const std::string& text) {
  try {
    check_faults(parse_faults(text));
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

struct Refused {
  std::string text, says;  // the beginning of what is said
};

TEST(FaultText, RefusesWhatWouldBeIgnored) {
  const std::vector<Refused> texts = {
      {"", "fault: expected layer.name(site), found ''"},
      {"tile.trip_floor(*);", "fault: expected layer.name(site), found ''"},
      {"tile.trip_floor(*) value=zz", "fault: unknown setting 'value' of tile.trip_floor; settings: p, nth, "},
      {"tile.trip_floor(*) dtype=i8", "fault: unknown setting 'dtype' of tile.trip_floor"},
      {"tile.trip_floor(*) life=once", "fault: unknown setting 'life' of tile.trip_floor"},
      {"tile.trip_floor(*) expect=foo", "fault: unknown setting 'expect' of tile.trip_floor"},
      {"tile.trip_floor(*) window=5..2", "fault: unknown setting 'window' of tile.trip_floor"},
      {"tile.trip_floor(*) when=clone", "fault: unknown setting 'when' of tile.trip_floor"},
      {"tile.trip_floor(*) evry=2", "fault: unknown setting 'evry' of tile.trip_floor, did you mean 'every'?"},
      {"tile.trip_floor(*) space=1KiB", "fault tile.trip_floor takes no setting 'space'; it takes p, nth, "},
      {"tile.trip_floor(*) mask=1",
       "fault tile.trip_floor takes no setting 'mask'; it takes p, nth, every, times, arm"},
      {"transfer.no_reply(*) mask=1", "fault transfer.no_reply takes no setting 'mask'; it takes p, nth, every, times"},
      {"tile.trip_floor(*) seed=7", "fault tile.trip_floor: seed= is of the draws of p= and arm=, and neither"},
      {"tile.trip_floor(nth=2)", "fault: settings stand behind the site: tile.trip_floor(*) nth=2, found"},
      {"numerics.lut_segment(no/such/site)",
       "fault numerics.lut_segment takes no site, it strikes wherever the device"},
      {"numerics.lut_segment(*) nth=3", "fault numerics.lut_segment takes no setting 'nth'; it takes arm, seed"},
      {"numerics.lut_segment(*) p=0/1", "fault numerics.lut_segment takes no setting 'p'; it takes arm, seed"},
      {"numerics.flip1(*) times=1", "fault numerics.flip1 takes no setting 'times'"},
      {"numerics.flip1(*) -> tile.trip_floor(*)", "fault numerics.flip1 cannot be an alternative of '->'"},
      {"tile.trip_floor(*) -> numerics.flip1(*)", "fault numerics.flip1 cannot be an alternative of '->'"},
  };
  for (const Refused& refused : texts)
    EXPECT_TRUE(complaint(refused.text).starts_with(refused.says)) << refused.text << "\n" << complaint(refused.text);
}

TEST(FaultText, RefusesNumbersOutOfRange) {
  for (const std::string setting : {"nth=-1", "nth=0", "times=0", "every=0", "p=3/2", "p=-1/2", "p=1/0", "p=1",
                                    "p=1/4294967296", "arm=2/1", "nth=1x", "nth="})
    EXPECT_NE(complaint("tile.trip_floor(*) " + setting), "") << setting;
  for (const std::string setting : {"space=0", "space=-1KiB", "space=9223372036854775807MiB", "space=x"})
    EXPECT_NE(complaint("transfer.no_reply(*) " + setting), "") << setting;
  EXPECT_EQ(complaint("numerics.flip1(*) bits=99"),
            "fault numerics.flip1: bits= wants a whole number from 0 to 63, found 99");
  EXPECT_NE(complaint("numerics.flip1(*) bits=-1"), "");
  EXPECT_NE(complaint("transfer.slow_queue(*) ticks=-1"), "");
  EXPECT_NE(complaint("transfer.beat_flip(*) mask=0x100"), "");
  EXPECT_NE(complaint("transfer.beat_flip(*) offset=-1"), "");
}

TEST(FaultText, RefusesWhatIsSaidTwice) {
  EXPECT_EQ(complaint("tile.trip_floor(*) nth=1 nth=2"), "fault: nth= is given twice to tile.trip_floor");
  EXPECT_EQ(complaint("tile.trip_floor(*) nth=1; tile.trip_floor(*) nth=2"), "");
  const std::string program = " program=def f(x: f16[4]): y = aten.neg(x); return y";
  EXPECT_THROW(parse_case("seed=1 seed=2" + program), UserError);
  EXPECT_THROW(parse_case("on=spyre(cores=1,cores=2)" + program), UserError);
}

TEST(FaultText, ReadsWhatItPrints) {
  const std::string text =
      "schedule.piece_floor(compile/*/clone:0/*) p=1/2 nth=3 every=2 times=4 arm=3/4 seed=7 -> tile.trip_floor(*); "
      "transfer.cell_flip(run/0/*) space=2048 mask=0x3 offset=5; numerics.flip1(*) nth=9 bits=3";
  EXPECT_EQ(complaint(text), "");
  EXPECT_EQ(to_text(parse_faults(text)), text);
  EXPECT_EQ(to_text(parse_faults("transfer.no_reply() space=2KiB")), "transfer.no_reply(*) space=2048");
}

// Each row takes what it declares, at both ends of its range.
TEST(FaultText, EveryRowTakesTheSettingsThatItDeclares) {
  for (const Fault* fault : faults.rows) {
    for (const EffectSetting& effect : fault->effects) {
      FaultSpec spec;
      spec.id = fault->id;
      for (const int64_t value : {effect.least, effect.most}) {
        spec.*effect.value = value;
        EXPECT_EQ(complaint(to_text(spec)), "") << to_text(spec);
        EXPECT_EQ(given_settings(spec), std::vector<std::string>{std::string(effect.name)});
      }
    }
  }
}

}  // namespace
}  // namespace faultline
