// A verdict as one JSON object, the record that tests, graders and other tools read. Fields are added, never changed or
// dropped; what is not known is null, never 0 or an empty text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "runtime/core/verdict.h"

namespace faultline {

inline constexpr std::string_view kVerdictSchema = "faultline.verdict/1";

nlohmann::ordered_json to_json(const Verdict& verdict);

// One line without its newline. Bytes that are no UTF-8 become U+FFFD: a damaged name must not lose the record.
std::string json_line(const nlohmann::ordered_json& value);

}  // namespace faultline
