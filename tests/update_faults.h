// A scan, a sum by place and an overwriting by place, with faults that strike there: as the lines of
// tests/fault_matrix.h.
#pragma once

#include "tests/fault_matrix.h"

namespace faultline {

inline const std::string kScan = "def f(x: $t[5,$n]): y = aten.cumsum(x, 1); return y";
inline const std::string kAdd =
    "def f(x: $t[7,5], i: i64[7,$n], s: $t[7,$n]): y = aten.scatter_add(x, 1, i, s); return y; "
    "call f(i = integers(0,5,1))";
inline const std::string kOverwrite =
    "def f(x: $t[9,$n], i: i64[12,$n], s: $t[12,$n]): y = aten.scatter.src(x, 0, i, s); return y; "
    "call f(i = integers(0,9,1))";

inline const std::vector<FaultMatrixLine> kUpdateFaults = {
    {"decompose.reduce_axis", kScan, {33, 67, 130}, {"f16", "f32"}},
    {"layout.mask_ignored", kScan, {33, 67, 130}, {"f16", "f32"}, {64, 128}},
    {"layout.pad_floor", kOverwrite, {65, 97, 129}, {"f16", "f32"}, {64}},
    {"tile.core_gap", kScan, {67}, {"f16", "f32"}},
    {"tile.core_dup", kAdd, {33, 67}, {"f16", "f32"}},
    {"tile.trip_floor", kOverwrite, {65, 97}, {"f16", "f32"}, {64}},
    {"schedule.mask_drop", kScan, {33, 67, 130}, {"f16", "f32"}, {64, 128}},
    {"schedule.tile_stride", kAdd, {33, 67}, {"f16", "f32"}},
    {"schedule.wait_drop", kScan, {67}, {"f16", "f32"}},
    {"schedule.wrong_symbol", kOverwrite, {33, 67}, {"f16", "f32"}},
    {"transfer.copy_in_lost", kAdd, {67}, {"f16", "f32"}},
    {"transfer.beat_flip", kOverwrite, {67}, {"f16", "f32"}},
};

}  // namespace faultline
