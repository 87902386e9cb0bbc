// The oracle's score as tables for people and as one JSON object.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "checkers/score/score.h"

namespace faultline {

inline constexpr std::string_view kScoreSchema = "faultline.oracle_score/1";

nlohmann::ordered_json to_json(const OracleScore& score);

// `columns` 0: lines are never broken.
std::string to_text(const OracleScore& score, int columns);

}  // namespace faultline
