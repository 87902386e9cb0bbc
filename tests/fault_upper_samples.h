// Programs on which the fault rows of layers 1, 2, 3 and 8 must strike and be seen, and programs on which they must not
// strike because they could change nothing there.
#pragma once

#include <vector>

namespace faultline {

struct FaultSample {
  const char* fault;
  std::vector<const char*> fires, silent;
};

inline const std::vector<FaultSample> kUpperSamples = {
    // capture
    {"capture.guard_scalar",
     {"def f(x: f32[3,5], n: int): y = aten.add.Scalar(x, n); return y; call f(n = 1); call f(n = 2)",
      "def f(x: bf16[65], p: float): y = aten.exp(x); z = aten.mul.Scalar(y, p); return z; "
      "call f(p = 0.5); call f(p = 2.0)",
      // The number that a break reads is one that the code behind it freezes.
      "def f(x: f16[67]): s = aten.sum.default(x); v = s.item(); y = aten.mul.Scalar(x, v); return y; call f(); "
      "call f()"},
     {"def f(x: f32[3,5]): y = aten.exp(x); return y; call f(); call f()",
      "def f(x: f32[3,5], flag: bool): y = aten.exp(x); if flag { z = aten.neg(y) } else { z = aten.abs(y) }; "
      "return z; call f(flag = True); call f(flag = False)"}},
    {"capture.guard_shape",
     {"def f(x: f32[3,5]): y = aten.sum.dim_IntList(x, [1]); return y; call f(); call f(x: f32[5,3])",
      "def f(x: bf16[2,65]): y = aten.neg(x); return y; call f(); call f(x: bf16[130])"},
     {"self.w = tensor f32[5]; def f(n: int): w = self.w; y = aten.mul.Scalar(w, n); return y; call f(n = 1)",
      "def f(x: f32[5]): s = aten.sum.default(x); v = s.item(); y = aten.mul.Scalar(x, v); return y; call f()"}},
    {"capture.branch_bake",
     {"def f(x: f32[2,67], flag: bool): y = aten.exp(x); if flag { z = aten.neg(y) } else { z = aten.log(y) }; "
      "return z; call f(flag = False); call f(flag = True)",
      "def f(x: bf16[5], flag: bool): y = aten.neg(x); if flag { z = aten.exp(y) } else { z = aten.neg(y) }; "
      "return z; call f(flag = True); call f(flag = False)"},
     {"def f(x: f32[5], n: int): y = aten.mul.Scalar(x, n); return y; call f(n = 1); call f(n = 2)",
      // A branch before the first tensor operation is the host's own.
      "def f(x: f32[5], flag: bool): if flag { z = aten.exp(x) } else { z = aten.neg(x) }; return z; "
      "call f(flag = True); call f(flag = False)"}},
    {"capture.const_bake",
     {"self.scale = 0.5; def f(x: f32[3,5]): s = self.scale; y = aten.mul.Scalar(x, s); t = s + 1.0; "
      "self.scale = t; return y; call f(); call f()",
      "self.count = 1; def f(x: bf16[65]): n = self.count; y = aten.add.Scalar(x, n); m = n * 4; self.count = m; "
      "return y; call f(); call f()"},
     {"self.w = tensor f32[5]; def f(x: f32[5]): w = self.w; y = aten.add.Tensor(x, w); return y; call f(); call f()",
      "def f(x: f32[5], n: int): y = aten.mul.Scalar(x, n); return y; call f(n = 1); call f(n = 2)"}},
    {"capture.guard_alias",
     {"self.a = tensor f32[3,5]; self.b = tensor f32[3,5]; def f(x: f32[3,5]): a = self.a; b = self.b; "
      "c = aten.mul_.Tensor(a, x); y = aten.sub.Tensor(b, a); self.b = a; return y; call f(); call f()",
      "self.a = tensor bf16[67]; self.b = tensor bf16[67]; def f(x: bf16[67]): a = self.a; b = self.b; "
      "c = aten.add_.Tensor(a, x); y = aten.mul.Tensor(a, b); self.b = a; return y; call f(); call f()"},
     // Nobody writes; and parameters cannot change whose storage they have.
     {"self.a = tensor f32[5]; self.b = tensor f32[5]; def f(x: f32[5]): a = self.a; b = self.b; "
      "c = aten.add.Tensor(a, x); y = aten.mul.Tensor(c, b); return y; call f(); call f()",
      "def f(a: f32[5], b: f32[5]): c = aten.add_.Tensor(a, b); y = aten.mul.Tensor(a, b); return y; call f(); "
      "call f()"}},
    {"capture.effect_lost",
     {"self.total = tensor f32[3,5]; def f(x: f32[3,5]): t = self.total; s = aten.add.Tensor(t, x); "
      "self.total = s; y = aten.neg(x); return y; call f(); call f()",
      "self.total = tensor bf16[65]; def f(x: bf16[65]): t = self.total; s = aten.mul.Tensor(t, x); "
      "self.total = s; return s",
      "self.count = 1; def f(x: f16[67]): n = self.count; y = aten.mul.Scalar(x, n); m = n + 1; self.count = m; "
      "return y; call f(); call f()"},
     {"self.w = tensor f32[5]; def f(x: f32[5]): w = self.w; y = aten.add.Tensor(w, x); self.w = w; return y",
      "self.w = tensor f32[5]; def f(x: f32[5]): w = self.w; y = aten.add_.Tensor(w, x); return y; call f()"}},
    {"capture.resume_swap",
     {"def f(x: f32[3,5]): a = aten.exp(x); b = aten.neg(x); s = aten.sum.default(x); v = s.item(); "
      "y = aten.sub.Tensor(a, b); return y",
      "def f(x: bf16[65]): a = aten.exp(x); b = aten.abs(x); s = aten.amax(x); v = s.item(); "
      "y = aten.div.Tensor(a, b); z = aten.mul.Scalar(y, v); return z"},
     {"def f(x: f32[5]): a = aten.exp(x); b = aten.neg(x); y = aten.sub.Tensor(a, b); return y",
      // One live value; two of different types.
      "def f(x: f32[5]): a = aten.exp(x); s = aten.sum.default(x); v = s.item(); y = aten.mul.Scalar(a, v); return y",
      "def f(x: f32[5]): a = aten.exp(x); b = aten.amax(x, [0], True); s = aten.sum.default(x); v = s.item(); "
      "y = aten.sub.Tensor(a, b); z = aten.mul.Scalar(y, v); return z"}},
    {"capture.guard_tight",
     {"def f(x: f32[3,5]): y = aten.exp(x); return y; call f(); call f()",
      "def f(x: bf16[65], n: int): y = aten.mul.Scalar(x, n); return y; call f(n = 1); call f(n = 1)"},
     {}},

    // decompose
    {"decompose.copyback_lost",
     {"def f(x: f32[3,5]): z = aten.mul_.Scalar(x, 2.0); return z",
      "def f(x: bf16[4,65], y: bf16[65]): v = aten.select.int(x, 0, 1); z = aten.copy_.default(v, y); return y",
      "self.w = tensor f16[67]; def f(x: f16[67]): w = self.w; z = aten.add_.Tensor(w, x); y = aten.exp(x); return y"},
     {"def f(x: f32[5]): a = aten.exp(x); z = aten.mul_.Scalar(a, 2.0); return z"}},
    {"decompose.view_offset",
     {"def f(x: f32[7,5]): v = aten.slice.Tensor(x, 0, 3, 6); y = aten.exp(v); return y",
      "def f(x: bf16[67]): v = aten.slice.Tensor(x, 0, 2, 66); return v",
      "def f(x: f16[2,3,65]): a, b, c = aten.unbind.int(x, 1); y = aten.sub.Tensor(a, b); return y"},
     {"def f(x: f32[7,5]): v = aten.slice.Tensor(x, 0, 0, 3); y = aten.exp(v); return y",
      "def f(x: f32[7,5]): v = aten.t(x); y = aten.exp(v); return y"}},
    {"decompose.reduce_axis",
     {"def f(x: f16[3,3,65]): y = aten.mean.dim(x, [0]); return y",
      "def f(x: f32[5,5]): y = aten.argmax.default(x, 1); return y",
      "def f(x: bf16[4,4]): y = aten.softmax.int(x, 1); return y"},
     {"def f(x: f16[3,4,65]): y = aten.mean.dim(x, [0]); return y",
      "def f(x: f32[5,5]): y = aten.sum.default(x); return y",
      "def f(x: f32[1,1,5]): y = aten.sum.dim_IntList(x, [0]); return y"}},
    {"decompose.promote_narrow",
     {"def f(x: f32[3,5], w: f16[5]): y = aten.add.Tensor(x, w); return y",
      "def f(x: bf16[65], w: f32[65]): y = aten.div.Tensor(w, x); z = aten.neg(y); return z"},
     {"def f(x: f16[67], w: f16[67]): y = aten.mul.Tensor(x, w); return y",
      "def f(x: f16[67]): y = aten.to.dtype(x, f32); z = aten.mul.Scalar(y, 3.0); return z",
      // The result is f16 in any case.
      "def f(x: f16[67], w: f32[67]): y = aten.mul.Tensor(x, w); z = aten.to.dtype(y, f16); return z"}},
    {"decompose.variance_divisor",
     {"def f(x: f16[3,17]): y = aten.std.correction(x, [1], correction = 1); return y",
      "def f(x: f32[2,5,7]): v, m = aten.var_mean.correction(x, [0, 2], correction = 1); return v, m"},
     {"def f(x: f32[3,17]): y = aten.var.correction(x, [1], correction = 0); return y",
      "def f(x: f32[3,17]): y = aten.mean.dim(x, [1]); return y",
      "def f(x: f32[3,17], w: f32[17]): y = aten.layer_norm(x, [17], w); return y"}},
    {"decompose.eps_order",
     {"def f(x: f16[3,65]): y = aten.layer_norm(x, [65], None, None, 0.25); return y",
      "def f(x: f32[2,6,5]): y = aten.group_norm(x, 3, None, None, 0.0625); return y"},
     {"def f(x: f16[3,65]): y = aten.layer_norm(x, [65]); return y", "def f(x: f32[5]): y = aten.rsqrt(x); return y"}},
    {"decompose.softplus_beta",
     {"def f(x: f32[3,5]): y = aten.softplus(x, 0.5, 20.0); return y",
      "def f(x: bf16[65]): y = aten.softplus(x, 3.0, 20.0); return y"},
     {"def f(x: f32[3,5]): y = aten.softplus(x); return y",
      "def f(x: f32[3,5]): y = aten.div.Scalar(x, 2.0); return y"}},
    {"decompose.alpha_default",
     {"def f(x: f32[3,5], y: f32[5]): z = aten.add.Tensor(x, y, alpha = 0.5); return z",
      "def f(x: i32[65], y: i32[65]): z = aten.sub.Tensor(x, y, alpha = 3); return z",
      "def f(b: f16[7], x: f16[3,65], y: f16[65,7]): z = aten.addmm(b, x, y, beta = 0.5, alpha = 2); return z"},
     {"def f(x: f32[5], y: f32[5]): z = aten.add.Tensor(x, y); return z",
      "def f(x: f32[5], y: f32[5]): a = aten.mul.Scalar(y, 2.0); z = aten.add.Tensor(x, a); return z"}},
    {"decompose.softmax_unstable",
     {"def f(x: f32[3,67]): s = aten.mul.Scalar(x, 200.0); y = aten.log_softmax.int(s, 1); return y",
      "def f(q: f16[5,1024], k: f16[1024,67]): s = aten.mm(q, k); y = aten.softmax.int(s, 1); return y",
      "def f(x: bf16[65]): s = aten.add.Scalar(x, 200.0); y = aten.softmax.int(s, 0); return y"},
     {"def f(x: f32[3,67]): y = aten.softmax.int(x, 1); return y",
      "def f(x: f16[67]): s = aten.mul.Scalar(x, 64.0); y = aten.exp(s); return y"}},
    {"decompose.ctl_order",
     {"def f(x: f32[3,5], y: f32[3,5]): a = aten.exp(x); b = aten.neg(y); z = aten.div.Tensor(a, b); return z",
      "def f(x: f16[5,67]): y = aten.softmax.int(x, 1); z = aten.layer_norm(x, [67]); return y, z",
      "def f(x: bf16[5,67]): a = aten.mul_.Scalar(x, 2.0); y = aten.amax(x, [0]); z = aten.exp(a); return y, z"},
     {"def f(x: f32[5]): a = aten.exp(x); b = aten.neg(a); return b"}},
    // fuse
    {"fuse.offset_drop",
     {"def f(x: f32[7,5]): v = aten.slice.Tensor(x, 0, 3, 6); y = aten.exp(v); return y",
      "def f(x: bf16[130]): v = aten.slice.Tensor(x, 0, 65, 130); y = aten.sum.default(v); return y",
      "def f(x: f16[3,65,67], y: f16[67,5]): v = aten.select.int(x, 0, 2); z = aten.mm(v, y); return z"},
     {"def f(x: f32[7,5]): y = aten.exp(x); return y", "def f(x: f32[7]): y = aten.flip(x, [0]); return y"}},
    {"fuse.neg_stride",
     {"def f(x: f32[3,5]): y = aten.flip(x, [1]); return y",
      "def f(x: bf16[2,3,65], w: bf16[2,3,65]): y = aten.flip(x, [0, 2]); z = aten.mul.Tensor(y, w); return z",
      "def f(x: f16[67,5], w: f16[5,67]): y = aten.flip(x, [0]); z = aten.mm(w, y); return z"},
     {"def f(x: f32[3,5]): y = aten.t(x); z = aten.exp(y); return z",
      "def f(x: f32[1,5]): y = aten.flip(x, [0]); z = aten.exp(y); return z"}},
    {"fuse.bcast_axis",
     {"def f(x: f32[5,5], b: f32[5,1]): y = aten.mul.Tensor(x, b); return y",
      "def f(x: bf16[65,3,65], b: bf16[65]): y = aten.sub.Tensor(x, b); return y",
      "def f(x: f16[67,67]): m = aten.amax(x, [1], True); y = aten.sub.Tensor(x, m); return y"},
     {"def f(x: f32[3,5], b: f32[5]): y = aten.mul.Tensor(x, b); return y",
      "def f(x: f32[5,5], b: f32[5,5]): y = aten.mul.Tensor(x, b); return y",
      "def f(x: f32[5,5]): y = aten.mul.Scalar(x, 2.0); return y"}},
    {"fuse.epilogue_order",
     {"def f(x: f32[3,65]): s = aten.sum.dim_IntList(x, [1]); a = aten.add.Scalar(s, 3.0); "
      "y = aten.mul.Scalar(a, 0.5); return y",
      "def f(b: bf16[7], x: bf16[65,64], w: bf16[64,7]): y = aten.addmm(b, x, w); z = aten.relu(y); return z",
      "def f(x: f16[5,64], w: f16[64,67], r: f16[5,67]): y = aten.mm(x, w); a = aten.relu(y); "
      "z = aten.add.Tensor(a, r); return z"},
     {"def f(x: f32[3,64], w: f32[64,5]): y = aten.mm(x, w); z = aten.relu(y); return z",
      "def f(x: f32[3,64], w: f32[64,5]): y = aten.mm(x, w); a = aten.add.Scalar(y, 1.0); z = aten.add.Scalar(a, 2.0); "
      "return z",
      "def f(x: f32[5], y: f32[5]): a = aten.add.Tensor(x, y); z = aten.relu(a); return z"}},
    {"fuse.combine_op",
     {"def f(x: f32[3,65]): y = aten.amin(x, [0]); return y",
      "def f(x: bf16[67]): y = aten.argmax.default(x); return y",
      "def f(x: f32[5,3]): y = aten.prod.dim_int(x, 1); return y"},
     {"def f(x: f32[3,65]): y = aten.softmax.int(x, 1); return y",
      "def f(x: f32[3,65]): y = aten.sum.dim_IntList(x, [1]); return y"}},
    {"fuse.cse_constant",
     {"def f(x: f32[3,5]): a = aten.mul.Scalar(x, 2.0); b = aten.mul.Scalar(x, -1.0); y = aten.add.Tensor(a, b); "
      "return y",
      "def f(x: bf16[2,65]): a = aten.sub.Scalar(x, 1.0); b = aten.sub.Scalar(x, 4.0); y = aten.mul.Tensor(a, b); "
      "z = aten.sum.default(y); return z"},
     {"def f(x: f32[5]): a = aten.add.Scalar(x, 1.0); b = aten.add.Scalar(x, 1.0); y = aten.mul.Tensor(a, b); return y",
      "def f(x: f32[5], y: f32[5]): a = aten.add.Scalar(x, 1.0); b = aten.add.Scalar(y, 3.0); "
      "z = aten.mul.Tensor(a, b); return z"}},
    {"fuse.stale_read",
     {"def f(x: f32[3,5], y: f32[3,5]): a = aten.add_.Tensor(x, y); z = aten.mul.Tensor(x, y); return z",
      "def f(x: bf16[65]): a = aten.mul_.Scalar(x, 3.0); s = aten.amax(x, [0]); return s"},
     {"def f(x: f32[5]): a = aten.mul_.Scalar(x, 3.0); return a",
      "def f(x: f32[5]): y = aten.exp(x); z = aten.neg(y); return y, z"}},
    {"fuse.cse_load",
     {"def f(x: f32[3,5], y: f32[3,5]): z = aten.div.Tensor(x, y); return z",
      "def f(x: bf16[2,65], y: bf16[2,65], w: bf16[65]): a = aten.exp(y); b = aten.sub.Tensor(x, a); "
      "z = aten.mul.Tensor(b, w); return z"},
     {"def f(x: f32[3,5], y: f32[5]): z = aten.sub.Tensor(x, y); return z",
      "def f(x: f32[5], y: f16[5]): a = aten.exp(x); b = aten.exp(y); return a, b"}},
    {"fuse.ctl_order",
     {"def f(x: f32[3,5], y: f32[65]): a = aten.exp(x); b = aten.neg(y); return a, b",
      "def f(x: f16[5,67]): a = aten.amax(x, [1]); b = aten.amin(x, [0]); c = aten.exp(b); return a, b, c",
      "def f(x: bf16[4,64], w: bf16[64,5]): a = aten.mm(x, w); b = aten.softmax.int(x, 1); return a, b"},
     {"def f(x: f32[3,5]): a = aten.exp(x); return a"}},
    // numerics
    {"numerics.psum_dl16",
     {"def f(x: f16[3,1024]): y = aten.sum.dim_IntList(x, [1]); return y",
      "def f(x: bf16[2,512], w: bf16[512,67]): y = aten.mm(x, w); return y"},
     {"def f(x: f32[3,65], w: f32[65,5]): y = aten.mm(x, w); return y",
      "def f(x: f16[67], y: f16[67]): z = aten.add.Tensor(x, y); return z"}},
    {"numerics.bf16_trunc",
     {"def f(x: bf16[3,5], y: bf16[5]): z = aten.mul.Tensor(x, y); return z",
      "def f(x: bf16[17,65]): y = aten.sum.dim_IntList(x, [1]); return y"},
     {"def f(x: f16[67], y: f16[67]): z = aten.add.Tensor(x, y); return z",
      "def f(x: bf16[67]): y = aten.neg(x); return y"}},
    {"numerics.sub_halve",
     {"def f(x: f32[3,5]): y = aten.mul.Scalar(x, 1e-39); return y",
      "def f(x: f16[2,65]): y = aten.mul.Scalar(x, 2e-5); return y"},
     {"def f(x: f32[5]): y = aten.mul.Scalar(x, 2.0); return y",
      "def f(x: i32[5]): y = aten.mul.Scalar(x, 2); return y"}},
    {"numerics.flush_subnormal",
     {"def f(x: f32[3,5]): y = aten.div.Scalar(x, 1e38); return y; call f(x = full(0.5))",
      "def f(x: f16[2,65]): y = aten.mul.Scalar(x, 2e-5); return y"},
     {"def f(x: f32[5]): y = aten.mul.Scalar(x, 2.0); return y"}},
    {"numerics.special_finite",
     {"def f(x: f32[3,5]): y = aten.exp(x); return y; call f(x = values(1.0, -inf, nan))",
      "def f(x: f16[67]): y = aten.log(x); return y; call f(x = values(1.0, inf))"},
     {"def f(x: f32[3,5]): y = aten.log(x); return y"}},
    {"numerics.nan_max",
     {"def f(x: f32[3,5]): y = aten.sqrt(x); z = aten.clamp(y, 0.0, 1.0); return z",
      "def f(x: f16[65], y: f16[65]): a = aten.log(x); z = aten.minimum(a, y); return z"},
     {"def f(x: f32[5]): y = aten.relu(x); return y", "def f(x: f32[5]): y = aten.log(x); return y"}},
    {"numerics.overflow_saturates",
     {"def f(x: f32[3,5]): y = aten.mul.Scalar(x, 100.0); z = aten.exp(y); return z",
      "def f(x: bf16[65]): y = aten.mul.Scalar(x, 1e9); z = aten.mul.Tensor(y, y); w = aten.reciprocal(z); return w"},
     {"def f(x: f32[5]): y = aten.exp(x); return y"}},
    {"numerics.lut_segment",
     {"def f(x: f32[3,5]): y = aten.exp(x); return y; call f(x = uniform())",
      "def f(x: bf16[65]): y = aten.softmax.int(x, 0); return y"},
     {"def f(x: f32[3,5]): y = aten.mul.Tensor(x, x); return y",
      "def f(x: f32[3,5]): y = aten.exp(x); return y; call f(x = full(2.0))"}},
    {"numerics.flip1",
     {"def f(x: f32[3,5]): y = aten.exp(x); return y",
      "def f(x: bf16[2,65], w: bf16[65,7]): y = aten.mm(x, w); return y"},
     {"def f(x: i32[5]): y = aten.mul.Scalar(x, 2); return y", "def f(x: f32[3]): y = aten.exp(x); return y"}},
    {"numerics.ctl_cast",
     {"def f(x: f16[3,5], y: f16[5]): a = aten.mul.Tensor(x, y); z = aten.sub.Tensor(a, x); return z",
      "def f(x: bf16[5,67]): y = aten.layer_norm(x, [67]); return y"},
     {"def f(x: f32[67], y: f32[67]): z = aten.add.Tensor(x, y); return z"}},
    {"numerics.ctl_reorder",
     {"def f(x: f32[2,130], w: f32[130,3]): y = aten.mm(x, w); return y",
      "def f(x: f16[3,5,64], w: f16[3,64,67]): y = aten.bmm(x, w); return y"},
     {"def f(x: f32[67], y: f32[67]): z = aten.add.Tensor(x, y); return z"}},
};

}  // namespace faultline
