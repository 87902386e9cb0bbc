// How sharply values are judged (docs/sources.md, Oracle: profiles).
#pragma once

#include <cstdint>
#include <string_view>

namespace faultline {

enum class OracleProfile : uint8_t {
  sound,  // bounds that hold in every legal order: accuses nothing that conforms
  sharp,  // also bounds that hold but for a chance of 3e-8 a sum, and data for which sums are exact: for hunting
};
std::string_view name(OracleProfile profile);

}  // namespace faultline
