// For every fault row programs in several sizes and types in which it must strike and be traced to its layer, and sizes
// at which it must stay silent. In a program `$n` is the size and `$t` the dtype. A row may have several lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace faultline {

struct FaultMatrixLine {
  std::string fault, program;
  std::vector<int> sizes;
  std::vector<std::string> dtypes;
  std::vector<int> silent = {};  // sizes
  std::string target = {};       // "spyre(lx=off)"; empty: the default
};

inline const std::vector<FaultMatrixLine> kFaultMatrix = {
    // capture
    {"capture.guard_scalar",
     "def f(x: $t[$n], n: int): y = aten.mul.Scalar(x, n); return y; call f(n = 3); call f(n = 5)",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.guard_shape",
     "def f(x: $t[4,$n]): y = aten.exp(x); return y; call f(); call f(x: $t[$n,4])",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.branch_bake",
     "def f(x: $t[$n], flag: bool): y = aten.exp(x); if flag { z = aten.neg(y) } else { z = aten.add.Scalar(y, 1.0) }; "
     "return z; call f(flag = True); call f(flag = False)",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.const_bake",
     "self.count = 2; def f(x: $t[$n]): n = self.count; y = aten.mul.Scalar(x, n); m = n + 1; self.count = m; "
     "return y; call f(); call f()",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.guard_alias",
     "self.a = tensor $t[$n]; self.b = tensor $t[$n]; def f(x: $t[$n]): a = self.a; b = self.b; "
     "c = aten.add_.Tensor(a, x); y = aten.mul.Tensor(a, b); self.b = a; return y; call f(); call f()",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.effect_lost",
     "self.total = tensor $t[$n]; def f(x: $t[$n]): t = self.total; s = aten.add.Tensor(t, x); self.total = s; "
     "y = aten.neg(s); return y; call f(); call f()",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.resume_swap",
     "def f(x: $t[$n]): a = aten.exp(x); b = aten.neg(x); s = aten.sum.default(x); v = s.item(); "
     "y = aten.sub.Tensor(a, b); z = aten.mul.Scalar(y, v); return z",
     {5, 67, 130},
     {"f16", "f32"}},
    {"capture.guard_tight",
     "def f(x: $t[$n]): y = aten.exp(x); return y; call f(); call f()",
     {5, 67, 130},
     {"f16", "f32"}},
    // decompose
    {"decompose.copyback_lost",
     "def f(x: $t[$n], y: $t[$n]): z = aten.add_.Tensor(x, y); w = aten.neg(z); return w",
     {5, 65, 130},
     {"f16", "f32"}},
    {"decompose.view_offset",
     "def f(x: $t[5,$n]): v = aten.select.int(x, 0, 2); y = aten.mul.Tensor(v, v); return y, v",
     {5, 67, 130},
     {"f16", "f32"}},
    {"decompose.reduce_axis",
     "def f(x: $t[4,4,$n]): y = aten.sum.dim_IntList(x, [1]); return y",
     {3, 7, 67},
     {"f16", "f32"}},
    {"decompose.promote_narrow",
     "def f(x: $t[$n], w: f32[$n]): y = aten.mul.Tensor(x, w); return y",
     {5, 67, 130},
     {"f16", "bf16"}},
    {"decompose.variance_divisor",
     "def f(x: $t[5,$n]): y = aten.var.correction(x, [1], correction = 1); return y",
     {3, 7, 17},
     {"f16", "f32"}},
    {"decompose.eps_order",
     "def f(x: $t[5,$n], w: $t[$n]): y = aten.rms_norm(x, [$n], w, 0.125); return y",
     {5, 17, 67},
     {"f16", "f32"}},
    {"decompose.softplus_beta",
     "def f(x: $t[$n]): y = aten.softplus(x, 2.0, 20.0); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"decompose.alpha_default",
     "def f(x: $t[$n], y: $t[$n]): z = aten.sub.Tensor(x, y, alpha = 2); return z",
     {5, 67, 130},
     {"f16", "f32", "i32"}},
    {"decompose.softmax_unstable",
     "def f(x: $t[5,$n]): s = aten.add.Scalar(x, 130.0); y = aten.softmax.int(s, 1); return y",
     {33, 67, 130},
     {"f16", "f32"}},
    {"decompose.ctl_order",
     "def f(x: $t[$n], y: $t[$n]): a = aten.exp(x); b = aten.neg(y); z = aten.add.Tensor(a, b); return z",
     {5, 67, 130},
     {"f16", "f32"}},
    // fuse
    {"fuse.offset_drop",
     "def f(x: $t[5,$n]): v = aten.select.int(x, 0, 2); y = aten.exp(v); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"fuse.neg_stride",
     "def f(x: $t[$n,5]): y = aten.flip(x, [0]); z = aten.exp(y); return z",
     {3, 5, 67},
     {"f16", "f32"},
     {1}},
    {"fuse.bcast_axis",
     "def f(x: $t[$n,$n], b: $t[$n]): y = aten.add.Tensor(x, b); return y",
     {3, 17, 67},
     {"f16", "f32"}},
    {"fuse.epilogue_order",
     "def f(b: $t[$n], x: $t[5,64], w: $t[64,$n]): y = aten.addmm(b, x, w); z = aten.relu(y); return z",
     {7, 33, 67},
     {"f16", "bf16"}},
    {"fuse.combine_op", "def f(x: $t[5,$n]): y = aten.amax(x, [1]); return y", {3, 67, 130}, {"f16", "f32"}},
    {"fuse.cse_constant",
     "def f(x: $t[$n]): a = aten.add.Scalar(x, 1.0); b = aten.add.Scalar(x, 3.0); y = aten.mul.Tensor(a, b); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"fuse.stale_read",
     "def f(x: $t[$n]): a = aten.mul_.Tensor(x, 3.0); y = aten.exp(x); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"fuse.cse_load",
     "def f(x: $t[$n], y: $t[$n]): z = aten.sub.Tensor(x, y); return z",
     {5, 67, 130},
     {"f16", "f32", "i32"}},
    {"fuse.cse_load",
     "def f(x: $t[5,$n], y: $t[$n]): z = aten.sub.Tensor(x, y); return z",
     {},
     {"f16", "f32"},
     {5, 67}},
    {"fuse.ctl_order",
     "def f(x: $t[$n], y: $t[5,$n]): a = aten.exp(x); b = aten.amax(y, [1]); return a, b",
     {5, 67, 130},
     {"f16", "f32"}},
    // layout
    {"layout.pad_floor", "def f(x: $t[3,$n]): y = aten.clone(x); return y", {65, 97, 129}, {"f16", "f32"}, {64, 128}},
    {"layout.eps_type", "def f(x: $t[3,$n]): y = aten.clone(x); return y", {33, 67, 96}, {"f32", "i32"}, {31, 32}},
    {"layout.eps_type", "def f(x: $t[$n]): y = aten.neg(x); return y", {64, 65, 128}, {"f32"}, {32}},
    {"layout.mask_ignored",
     "def f(x: $t[5,$n]): y = aten.mean.dim(x, [1]); return y",
     {33, 67, 130},
     {"f16", "f32"},
     {64, 128}},
    {"layout.restick_tail",
     "def f(x: $t[$n,9], w: $t[9,$n]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
     {65, 91, 130},
     {"f16", "f32"},
     {64, 128}},
    {"layout.square_transpose",
     "def f(x: $t[$n,$n]): t = aten.t(x); y = aten.clone(t); return y",
     {5, 33, 67},
     {"f16", "f32"},
     {1}},
    {"layout.square_transpose",
     "def f(x: $t[5,$n], w: $t[$n,5]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
     {5},
     {"f16", "f32"},
     {1, 4, 6}},
    {"layout.step_offset",
     "def f(x: $t[9,$n]): a = aten.slice.Tensor(x, 0, 1, 9, 2); y = aten.add.Tensor(a, a); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"layout.no_relayout",
     "def f(x: $t[$n,9], w: $t[9,$n]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
     {5, 67, 91},
     {"f16", "f32"}},
    {"layout.ctl_spare_stick", "def f(x: $t[5,$n]): y = aten.relu(x); return y", {5, 64, 67}, {"f16", "f32"}},
    // tile
    {"tile.trip_floor", "def f(x: $t[3,$n]): y = aten.clone(x); return y", {65, 97, 129}, {"f16", "f32"}, {64, 128}},
    {"tile.no_advance",
     "def f(a: $t[$n,2], b: $t[$n,2], c: $t[$n,2], d: $t[$n,2], e: $t[$n,2], g: $t[$n,2], h: $t[$n,2]): "
     "i = aten.add.Tensor(a, b); j = aten.add.Tensor(c, d); k = aten.add.Tensor(e, g); l = aten.sub.Tensor(i, j); "
     "m = aten.mul.Tensor(k, h); y = aten.add.Tensor(l, m); return y",
     {1597, 1601, 1607},
     {"f16", "f32"},
     {1583, 1600}},
    {"tile.core_dup", "def f(x: $t[$n,17]): y = aten.neg(x); return y", {4, 6, 33}, {"f16", "f32"}, {1}},
    {"tile.core_gap", "def f(x: $t[$n,17]): y = aten.neg(x); return y", {4, 6, 33}, {"f16", "f32"}, {1}},
    {"tile.core_order",
     "def f(x: $t[4,6,$n]): m = aten.amax(x, [2], True); d = aten.sub.Tensor(x, m); y = aten.exp(d); return y",
     {5, 33, 67},
     {"f16", "f32"}},
    {"tile.core_order",
     "def f(x: $t[4,6,$n]): m = aten.amax(x, [2], True); d = aten.sub.Tensor(x, m); y = aten.exp(d); return y",
     {},
     {"f16", "f32"},
     {5, 33},
     "spyre(lx=off)"},
    {"tile.lx_overlap",
     "def f(a: $t[3,$n], b: $t[3,$n]): y = aten.add.Tensor(a, b); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"tile.early_free",
     "def f(x: $t[$n,17]): m = aten.amax(x, [1], True); y = aten.sub.Tensor(x, m); return y",
     {3, 5, 33},
     {"f16", "f32"}},
    {"tile.early_free",
     "def f(x: $t[$n,17]): m = aten.amax(x, [1], True); y = aten.sub.Tensor(x, m); return y",
     {},
     {"f16", "f32"},
     {3, 5},
     "spyre(lx=off)"},
    {"tile.ksplit_apart",
     "def f(x: $t[5,$n], w: $t[$n,7]): y = aten.mm(x, w); return y",
     {128, 192, 256},
     {"f16", "bf16"},
     {64, 65}},
    {"tile.ctl_core_order", "def f(x: $t[6,$n]): y = aten.neg(x); return y", {67, 128, 130}, {"f16", "f32"}},
    // schedule
    {"schedule.piece_floor",
     "def f(x: $t[3,$n]): y = aten.clone(x); return y",
     {65, 97, 129},
     {"f16", "f32"},
     {64, 128}},
    {"schedule.wait_drop", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"schedule.signal_token", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"schedule.credit_missing", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"schedule.lx_slice_base",
     "def f(x: $t[$n,128]): a = aten.slice.Tensor(x, 1, 0, 64); b = aten.slice.Tensor(x, 1, 64, 128); "
     "y = aten.add.Tensor(a, b); return y",
     {2, 5, 33},
     {"f16", "f32"}},
    {"schedule.tile_stride",
     "def f(x: $t[$n,67]): y = aten.sum.dim_IntList(x, [1]); return y",
     {4, 33, 70},
     {"f16", "f32"},
     {1}},
    {"schedule.psum_clear",
     "def f(x: $t[5,$n], w: $t[$n,7]): y = aten.mm(x, w); return y",
     {128, 192, 256},
     {"f16", "bf16"},
     {64, 65}},
    {"schedule.mask_drop",
     "def f(x: $t[5,$n]): y = aten.sum.dim_IntList(x, [1]); return y",
     {33, 67, 130},
     {"f16", "f32"},
     {64, 128}},
    {"schedule.imm16", "def f(x: $t[$n]): y = aten.add.Scalar(x, 70000); return y", {5, 67, 130}, {"i32", "i64"}},
    {"schedule.imm16", "def f(x: i32[5]): y = aten.add.Scalar(x, $n); return y", {32768, 65536}, {""}, {3, 32767}},
    {"schedule.early_reuse",
     "def f(x: $t[5,$n]): y = aten._softmax(x, -1, False); return y",
     {65, 67, 130},
     {"f16", "f32"}},
    {"schedule.wrong_symbol",
     "def f(a: $t[3,$n], b: $t[3,$n]): y = aten.add.Tensor(a, b); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    {"schedule.wrong_symbol",
     "def f(a: $t[3,$n], b: $t[3,1]): y = aten.add.Tensor(a, b); return y",
     {},
     {"f16", "f32"},
     {5, 67}},
    {"schedule.ctl_copy_order",
     "def f(a: $t[3,$n], b: $t[3,$n]): y = aten.add.Tensor(a, b); return y",
     {5, 67, 130},
     {"f16", "f32"}},
    // transfer
    {"transfer.no_reply", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.copy_in_lost", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.granule_floor", "def f(x: $t[$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}, {64, 128}},
    {"transfer.launch_twice", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.misdirect", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.stale_args",
     "def f(x: $t[3,$n]): y = aten.neg(x); return y; call f(); call f()",
     {5, 67, 130},
     {"f16", "f32"}},
    {"transfer.stale_args", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {}, {"f16", "f32"}, {5, 67}},
    {"transfer.abort", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.early_reply", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.signal_lost", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.beat_flip", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32", "i32"}},
    {"transfer.cell_flip", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32", "i32"}},
    {"transfer.slow_queue", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    {"transfer.ctl_late_reply", "def f(x: $t[3,$n]): y = aten.neg(x); return y", {5, 67, 130}, {"f16", "f32"}},
    // numerics
    {"numerics.psum_dl16",
     "def f(x: $t[3,$n]): y = aten.sum.dim_IntList(x, [1]); return y; call f(x = uniform())",
     {1024, 1100, 1536},
     {"f16", "bf16"}},
    {"numerics.bf16_trunc",
     "def f(x: $t[$n], y: $t[$n]): z = aten.add.Tensor(x, y); return z",
     {17, 67, 130},
     {"bf16"}},
    {"numerics.sub_halve", "def f(x: $t[$n]): y = aten.mul.Scalar(x, 1e-5); return y", {17, 67, 130}, {"f16"}},
    {"numerics.sub_halve", "def f(x: $t[$n]): y = aten.mul.Scalar(x, 1e-39); return y", {17, 67, 130}, {"f32"}},
    {"numerics.flush_subnormal", "def f(x: $t[$n]): y = aten.mul.Scalar(x, 1e-39); return y", {17, 67, 130}, {"f32"}},
    {"numerics.flush_subnormal", "def f(x: $t[$n]): y = aten.mul.Scalar(x, 1e-5); return y", {17, 67, 130}, {"f16"}},
    {"numerics.special_finite",
     "def f(x: $t[$n]): y = aten.log(x); return y; call f(x = values(1.0, inf, 2.0))",
     {5, 67, 130},
     {"f32"}},
    // What an infinity of a 16-bit type flows into is no evidence; the copy of the operand is.
    {"numerics.special_finite",
     "def f(x: $t[$n]): v = aten.slice.Tensor(x, 0, 0, $n, 3); y = aten.log(v); return y; "
     "call f(x = values(1.0, inf, 2.0))",
     {5, 67, 130},
     {"f16", "bf16"}},
    {"numerics.nan_max", "def f(x: $t[$n]): y = aten.log(x); z = aten.relu(y); return z", {17, 67, 130}, {"f32"}},
    // Where eager's infinity is due whatever the sign of zero; what is only too large may be either.
    {"numerics.overflow_saturates",
     "def f(x: $t[$n]): y = aten.log(x); return y; call f(x = values(0.0, 1.0, 2.0))",
     {5, 67, 130},
     {"f32"}},
    {"numerics.lut_segment", "def f(x: $t[$n]): y = aten.tanh(x); return y", {17, 67, 130}, {"f16", "f32"}},
    {"numerics.flip1",
     "def f(x: $t[$n], y: $t[$n]): z = aten.add.Tensor(x, y); return z",
     {17, 67, 130},
     {"f16", "f32"}},
    {"numerics.ctl_cast",
     "def f(x: $t[$n], y: $t[$n]): a = aten.mul.Tensor(x, y); z = aten.add.Tensor(a, x); return z",
     {17, 67, 130},
     {"f16", "bf16"}},
    {"numerics.ctl_reorder",
     "def f(x: $t[3,$n], w: $t[$n,5]): y = aten.mm(x, w); return y",
     {67, 130, 192},
     {"f16", "f32"}},
};

// Programs of windows in which every row is planted as well, beside those of the matrix.
inline const std::vector<std::string> kWindowPrograms = {
    "program=def f(x: f16[2,3,5,7], w: f16[4,3,3,3], b: f16[4]): y = aten.conv2d(x, w, b, [2, 1], [1, 1]); return y",
    "program=def f(x: f16[2,4,5], w: f16[4,3,3]): y = aten.conv_transpose1d(x, w, None, [2], [1], [1], 2); "
    "z = aten.relu(y); return z",
    "program=def f(x: f16[2,3,7,9]): y, i = aten.max_pool2d_with_indices(x, [3, 2], [2, 2], [1, 0]); return y, i",
    "program=def f(x: f16[2,3,7,9]): y = aten.avg_pool2d(x, [3, 3], [2, 2], [1, 1], False, False); return y",
};

// Kinds that are named for a row beside its own, in some of its programs, and what they have in common with it.
struct OtherKind {
  std::string fault, kind, why;
};

inline const std::vector<OtherKind> kOtherKinds = {
    {"fuse.epilogue_order", "fuse.combine", "most results are the end of the range that the epilogue holds them to"},
    {"layout.eps_type", "layout.tail_drop", "half as many elements a stick are sticks too few as well"},
    {"layout.square_transpose", "layout.stride", "too few elements to tell a transposition from a lost stride"},
    {"numerics.lut_segment", "numerics.round", "too few elements to tell a band of values from scattered ones"},
    {"transfer.granule_floor", "transfer.drop", "less than one granule, rounded down, is nothing"},
};

// Rows that one type has alone, and a program in which every element shows it there and none in the other types.
struct OneTypeFault {
  std::string fault, why, program, type;
  std::vector<std::string> others;
  bool untrusted;  // there the machine's own answer is no evidence; else the fault has nothing to strike
};

inline const std::vector<OneTypeFault> kOneTypeFaults = {
    {"numerics.bf16_trunc",
     "it is the conversion to bf16",
     "def f(x: $t[67], y: $t[67]): z = aten.add.Tensor(x, y); return z",
     "bf16",
     {"f16", "f32"},
     false},
    {"numerics.nan_max",
     "the 16-bit format has one code for NaN and infinities",
     "def f(x: $t[67]): y = aten.log(x); z = aten.relu(y); return z; call f(x = values(-1.0))",
     "f32",
     {"f16", "bf16"},
     true},
    {"numerics.overflow_saturates",
     "the 16-bit format has one code for NaN and infinities",
     "def f(x: $t[67]): y = aten.log(x); return y; call f(x = values(0.0))",
     "f32",
     {"f16", "bf16"},
     true},
};

inline std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// A case without its fault, which comes between `head` and `tail`.
struct CaseText {
  std::string head, tail;
  std::string plain() const { return head + tail; }
  std::string planted(const std::string& fault) const { return head + "fault=" + fault + " " + tail; }
};

inline CaseText matrix_case(const FaultMatrixLine& line, int size, const std::string& dtype) {
  return {line.target.empty() ? "" : "on=" + line.target + " ",
          "program=" + replaced(replaced(line.program, "$n", std::to_string(size)), "$t", dtype)};
}

}  // namespace faultline
