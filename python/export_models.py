"""Writes the small .pt2 models of corpora/pt2 and, next to each, what torch itself says is in it.

    python3 python/export_models.py FOLDER          every model
    python3 python/export_models.py FOLDER NAME...  those alone

Each model gives two files: <name>.export.pt2 straight from torch.export, <name>.aten.pt2 after run_decompositions().
The .json beside a file lists the calls of the graph module, its inputs, its outputs and a CRC of every weight, taken
from the ExportedProgram in memory: an independent account for the test of the reader. ops.txt is the union of all
operators, schema.json the numbers that torch's export schema gives to types.

Weights are drawn from fixed seeds; traces of the exporting machine (stack traces, source paths) are removed from the
graph.
"""

import json
import math
import pathlib
import sys
import warnings
import zlib

import torch
import torch.nn.functional as F
from torch import nn

HEADS = 4


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width) + 0.1 * torch.randn(width))

    def forward(self, x):
        wide = x.float()
        scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (wide * scale).to(x.dtype) * self.weight


class TransformerBlock(nn.Module):
    """Causal attention with rotary positions, RMSNorm before each half, a gated (SwiGLU) MLP."""

    def __init__(self, width=32, hidden=44, tokens=13):
        super().__init__()
        self.attention_norm = RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.mlp_norm = RMSNorm(width)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        size = width // HEADS
        angles = torch.outer(torch.arange(tokens).float(), 10000.0 ** (-torch.arange(0, size, 2).float() / size))
        self.register_buffer("cosine", torch.cat([angles.cos()] * 2, -1))
        self.register_buffer("sine", torch.cat([angles.sin()] * 2, -1), persistent=False)

    def rotate(self, x):
        low, high = x.chunk(2, dim=-1)
        return x * self.cosine + torch.cat([-high, low], dim=-1) * self.sine

    def attend(self, x):
        batch, tokens, width = x.shape
        heads = self.qkv(x).view(batch, tokens, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        q, k, v = heads.unbind(0)
        scores = self.rotate(q) @ self.rotate(k).transpose(-2, -1) / math.sqrt(width // HEADS)
        future = torch.triu(torch.ones(tokens, tokens, dtype=torch.bool, device=x.device), diagonal=1)
        weights = torch.softmax(scores.masked_fill(future, -1e4).float(), dim=-1).to(x.dtype)
        return self.projection((weights @ v).transpose(1, 2).reshape(batch, tokens, width))

    def forward(self, x):
        x = x + self.attend(self.attention_norm(x))
        y = self.mlp_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class EncoderBlock(nn.Module):
    """Token and position embeddings, padding mask, attention by the fused operator, LayerNorm, GELU."""

    def __init__(self, width=24, hidden=52, words=61, tokens=11):
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=0)
        self.positions = nn.Embedding(tokens, width)
        self.attention_norm = nn.LayerNorm(width)
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.projection = nn.Linear(width, width)
        self.mlp_norm = nn.LayerNorm(width, eps=1e-6)
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, ids, padding):
        batch, tokens = ids.shape
        x = self.words(ids) + self.positions(torch.arange(tokens, device=ids.device))
        split = lambda t: t.view(batch, tokens, HEADS, -1).transpose(1, 2)
        y = self.attention_norm(x)
        mask = (~padding)[:, None, None, :].expand(batch, HEADS, tokens, tokens)
        q, k, v = split(self.q(y)), split(self.k(y)), split(self.v(y))
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.projection(attended.transpose(1, 2).reshape(batch, tokens, -1))
        x = x + self.fc2(F.gelu(self.fc1(self.mlp_norm(x)), approximate="tanh"))
        kept = x.masked_fill(padding.unsqueeze(-1), 0)
        return x, kept.sum(1) / (~padding).sum(1, keepdim=True)


class Mlp(nn.Module):
    def __init__(self, width=37, hidden=65, classes=10):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, hidden),
                                    nn.Tanh(), nn.Linear(hidden, classes))

    def forward(self, x):
        return F.log_softmax(self.layers(x), dim=-1)


class VisionBlock(nn.Module):
    """Patches by reshape and permute, a token mixer and a channel mixer, mean pooling: no convolution."""

    def __init__(self, side=15, patch=5, channels=3, width=26, classes=7):
        super().__init__()
        self.patch = patch
        self.count = (side // patch) ** 2
        self.embed = nn.Linear(channels * patch * patch, width)
        self.class_token = nn.Parameter(torch.randn(1, 1, width))
        self.norm = nn.LayerNorm(width)
        self.mix_tokens = nn.Linear(self.count + 1, self.count + 1)
        self.mix_channels = nn.Linear(width, width)
        self.head = nn.Linear(width, classes)

    def forward(self, image):
        batch, channels, height, _ = image.shape
        p = self.patch
        x = image.reshape(batch, channels, height // p, p, -1, p).permute(0, 2, 4, 1, 3, 5).flatten(1, 2).flatten(2)
        x = torch.cat([self.class_token.expand(batch, -1, -1), self.embed(x)], dim=1)
        x = x + self.mix_tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
        x = x + F.hardswish(self.mix_channels(self.norm(x)))
        return self.head(torch.stack([x[:, 0], x.mean(1)], 0).amax(0)).clamp(min=-4.0)


class CausalAttention(nn.Module):
    """The fused operator without a mask, with grouped heads beforehand: what most exported language models hold."""

    def __init__(self, width=24):
        super().__init__()
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, width // 2 * 2, bias=False)

    def forward(self, x):
        batch, tokens, width = x.shape
        q = self.q(x).view(batch, tokens, HEADS, -1).transpose(1, 2)
        k, v = self.kv(x).view(batch, tokens, 2, HEADS // 2, -1).unbind(2)
        wide = lambda t: t.repeat_interleave(2, dim=2).transpose(1, 2)
        attended = F.scaled_dot_product_attention(q, wide(k), wide(v), is_causal=True)
        return attended.transpose(1, 2).contiguous().view(batch, tokens, width)


class State(nn.Module):
    """What the signature of an export says beyond arguments: buffers and inputs that are written, shared weights,
    constants, outputs that are lists, None or numbers, omitted defaults."""

    def __init__(self, width=9):
        super().__init__()
        self.left = nn.Linear(width, width)
        self.right = nn.Linear(width, width, bias=False)
        self.right.weight = self.left.weight
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("view", torch.arange(24.0).view(4, 6)[1:, ::2])
        self.table = torch.tensor([[1.5, -2.5], [float("inf"), 0.0]])

    def forward(self, x, cache, unused):
        cache[1:].copy_(cache[:-1].clone())
        cache[0] = x[0]
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.count += 1
        y = self.left(x) - self.right(x)
        parts = torch.split(y, [2, 3, 4], dim=1)
        values, order = torch.topk(y, 2)
        variance, mean = torch.var_mean(y, dim=1, correction=0)
        index = y[torch.tensor([2, 0, 1]), :, None]
        bounded = self.table.clamp(max=float("inf"))
        return parts, values, order, None, variance + mean, index, self.view.sum(), bounded, 3


class Dynamic(nn.Module):
    """Sizes that are symbols: arithmetic on them stands in the graph as nodes of its own."""

    def __init__(self, width=8):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        tokens = x.shape[1]
        y = self.linear(x)
        half = torch.arange(tokens // 2 + 1)
        return y.reshape(x.shape[0] * tokens, -1) * (1.0 / tokens), half, torch.zeros(2, tokens + 3)


class Reads(nn.Module):
    """Numbers that are read from data, arithmetic on them, a size that depends on data, a part without gradients."""

    def forward(self, x):
        with torch.no_grad():
            y = x.sin() + 1
            z = y * 2
        largest = x.amax().item()
        count = (x > 0.5).sum().item()
        torch._check(count >= 0)
        return y * z, x * (largest * 2.0), count + 1, x.nonzero(), torch.full((3,), count)


def positive(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def models():
    tokens = torch.randint(1, 61, (2, 11))
    padding = torch.arange(11)[None, :] >= torch.tensor([[11], [7]])
    dynamic = {"x": {1: torch.export.Dim("tokens", min=4, max=64)}}
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        yield f"transformer_{name}", TransformerBlock().to(dtype), (positive(2, 13, 32, dtype=dtype),), None
    for name, dtype in (("f32", torch.float32), ("f16", torch.float16)):
        yield f"encoder_{name}", EncoderBlock().to(dtype), (tokens, padding), None
        yield f"mlp_{name}", Mlp().to(dtype), (positive(5, 37, dtype=dtype),), None
    yield "vision_f32", VisionBlock(), (positive(3, 3, 15, 15),), None
    yield "causal_f32", CausalAttention(), (positive(2, 9, 24),), None
    yield "reads_f32", Reads(), (positive(3, 5),), None
    yield "state_f32", State(), (positive(5, 9), positive(4, 9), positive(1)), None
    yield "dynamic_f32", Dynamic(), (positive(2, 13, 8),), dynamic
    # Behind all others: a model draws its weights where the one before it stopped.
    half, brain = torch.float16, torch.bfloat16
    yield "transformer_f16", TransformerBlock().to(half), (positive(2, 13, 32, dtype=half),), None
    yield "encoder_bf16", EncoderBlock().to(brain), (tokens, padding), None
    yield "mlp_bf16", Mlp().to(brain), (positive(5, 37, dtype=brain),), None
    for name, dtype in (("f16", half), ("bf16", brain)):
        yield f"vision_{name}", VisionBlock().to(dtype), (positive(3, 3, 15, 15, dtype=dtype),), None


def operator_name(target):
    if isinstance(target, torch._ops.OpOverload):
        return f"{target.namespace}.{target._schema.name.split('::')[1]}.{target._overloadname}"
    return getattr(target, "__name__", str(target))


def tensor_record(tensor):
    plain = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    return {"dtype": str(tensor.dtype).removeprefix("torch."), "sizes": list(tensor.shape),
            "strides": list(tensor.stride()), "crc": zlib.crc32(plain.numpy().tobytes())}


def number(size):
    """The example's number behind a symbol; int() would turn the symbol into a constant for good."""
    return size.node.hint if isinstance(size, torch.SymInt) else size


def value_record(value):
    return {"dtype": str(value.dtype).removeprefix("torch."), "sizes": [number(size) for size in value.shape],
            "strides": [number(stride) for stride in value.stride()]}


def is_symbol(value):
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))


def calls_of(module):
    """The operators of a graph in order; the graph of a no_grad part stands in its place."""
    calls = []
    for node in module.graph.nodes:
        if node.op != "call_function" or "getitem" in str(node.target):
            continue
        if operator_name(node.target) == "wrap_with_set_grad_enabled":
            calls += calls_of(getattr(module, node.args[1].target))
            continue
        value = node.meta.get("val")
        count = len(value) if isinstance(value, (list, tuple)) else 0 if value is None else 1
        calls.append({"op": operator_name(node.target), "results": count, "arguments": len(node.args),
                      "keywords": sorted(node.kwargs), "symbol": is_symbol(value),
                      "known": not is_symbol(value) or value.node.has_hint()})
    return calls


def account(program):
    """What the graph holds, read from the ExportedProgram in memory."""
    signature = program.graph_signature
    calls = calls_of(program.graph_module)
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    inputs = {name: value_record(values[name]) for name in signature.user_inputs}
    weights = {**program.state_dict, **program.constants}
    outputs = [None if isinstance(spec.arg, torch.export.graph_signature.ConstantArgument) else spec.arg.name
               for spec in signature.output_specs if spec.kind == torch.export.graph_signature.OutputKind.USER_OUTPUT]
    return {"inputs": inputs, "outputs": len(outputs), "constant_outputs": outputs.count(None),
            "attributes": {name: tensor_record(value) for name, value in weights.items()},
            "buffer_mutations": sorted(signature.buffers_to_mutate.values()),
            "input_mutations": sorted(signature.user_inputs_to_mutate.values()), "calls": calls}


def schema_numbers():
    """The numbers of the export schema for every element type, layout and memory format that torch names."""
    from torch._export.serde import schema

    return {kind.__name__: {entry.name: entry.value for entry in kind}
            for kind in (schema.ScalarType, schema.Layout, schema.MemoryFormat)}


def forget_machine(program):
    for module in program.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            module.meta.clear()
            for node in module.graph.nodes:
                node.meta = {key: node.meta[key] for key in ("val",) if key in node.meta}
    program._example_inputs = None


def main(folder, names):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")  # torch's own deprecations
    operators = set()
    torch.manual_seed(1)
    for name, module, inputs, dynamic in models():
        if names and name not in names:
            continue
        module.eval()
        exported = torch.export.export(module, inputs, dynamic_shapes=dynamic, strict=False)
        for stage, program in (("export", exported), ("aten", exported.run_decompositions())):
            forget_machine(program)
            record = account(program)
            operators |= {call["op"] for call in record["calls"]}
            path = folder / f"{name}.{stage}.pt2"
            torch.export.save(program, path)
            path.with_suffix(".json").write_text(json.dumps(record) + "\n")
            print(f"{name}.{stage}: {len(record['calls'])} calls, {path.stat().st_size} bytes")
    if not names:
        (folder / "schema.json").write_text(json.dumps(schema_numbers(), indent=1) + "\n")
        aten = [operator for operator in sorted(operators) if operator.startswith("aten.")]
        (folder / "ops.txt").write_text("".join(f"{operator}\n" for operator in aten))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
