"""Runs a callable of a Python file: what only Python can say (closures, classes, generators, gradients).

The file is executed anew for every run, so that nothing is left of an earlier one. The entry is a function, a module or
any other callable; `example_calls()` gives a list of argument tuples, or `example_inputs` one tuple. After each call
leave: outputs by their path, arguments, gradients where something requires them, a module's parameters and buffers, and
what Python keeps: plain data in the file's globals, classes, closures, and attributes of the entry.
"""
import dataclasses
import linecache
import types
from typing import Any, Callable, Iterator

from faultline.workers.protocol import Request

FILE_NAME = "<python file>"
PLAIN = (bool, int, float, complex, str, bytes, type(None))
DEPTH_MAX = 6


def executed(source: str) -> dict[str, Any]:
    linecache.cache[FILE_NAME] = (len(source), None, source.splitlines(keepends=True), FILE_NAME)
    namespace: dict[str, Any] = {"__name__": "faultline_program", "__file__": FILE_NAME}
    exec(compile(source, FILE_NAME, "exec"), namespace)
    return namespace


def example_calls(namespace: dict[str, Any]) -> list[tuple]:
    if "example_calls" in namespace:
        calls = namespace["example_calls"]
        calls = calls() if callable(calls) else calls
    elif "example_inputs" in namespace:
        inputs = namespace["example_inputs"]
        calls = [inputs() if callable(inputs) else inputs]
    else:
        raise TypeError("the file has neither example_calls nor example_inputs")
    return [call if isinstance(call, tuple) else (call,) for call in calls]


def text_of(value: Any, depth: int = 0, seen: tuple = ()) -> str:
    """Plain data as text that does not depend on addresses, nor on the floats inside of tensors."""
    import torch

    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, torch.Tensor):
        shown = "" if value.dtype.is_floating_point or value.numel() > 64 else f", {value.tolist()}"
        return f"tensor({value.dtype}, {list(value.shape)}{shown})"
    if depth == DEPTH_MAX or id(value) in seen:
        return "..."
    inner = (*seen, id(value))
    if isinstance(value, dict):
        items = [f"{text_of(k, depth + 1, inner)}: {text_of(v, depth + 1, inner)}" for k, v in value.items()]
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(text_of(v, depth + 1, inner) for v in value)) + "}"
    if isinstance(value, (list, tuple)) or type(value).__name__ == "deque":
        return type(value).__name__ + "(" + ", ".join(text_of(v, depth + 1, inner) for v in value) + ")"
    if dataclasses.is_dataclass(value) or (hasattr(value, "__dict__") and not callable(value)):
        parts = [f"{name}={text_of(part, depth + 1, inner)}" for name, part in sorted(vars(value).items())]
        return f"{type(value).__name__}({', '.join(parts)})"
    return type(value).__name__


def is_data(value: Any) -> bool:
    return not isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)) and not (
        callable(value)
    )


def kept_by_class(name: str, kind: type) -> Iterator[tuple[str, str]]:
    for attribute, value in sorted(vars(kind).items()):
        if not attribute.startswith("_") and is_data(value) and not hasattr(value, "__get__"):
            yield f"state class {name}.{attribute}", text_of(value)


def kept(namespace: dict[str, Any], entry: Any) -> Iterator[tuple[str, str]]:
    """What outlives a call, but for tensors that the comparison sees by themselves."""
    import torch

    for name, value in sorted(namespace.items()):
        if name.startswith("_") or name in ("example_inputs", "example_calls"):
            continue
        if isinstance(value, type) and value.__module__ == "faultline_program":
            yield from kept_by_class(name, value)
        elif is_data(value) and not isinstance(value, torch.Tensor):
            yield f"state global {name}", text_of(value)
    function = getattr(entry, "forward", entry)
    function = getattr(function, "__func__", function)
    closure = getattr(function, "__closure__", None) or ()
    for name, cell in zip(getattr(function, "__code__", None).co_freevars if closure else (), closure):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if is_data(value):
            yield f"state closure {name}", text_of(value)
    if isinstance(entry, torch.nn.Module):
        for name, value in sorted(vars(entry).items()):
            if not name.startswith("_") and is_data(value):
                yield f"state attribute {name}", text_of(value)


class Widening:
    """Every float as f64. Tensors that shared a storage still do."""

    def __init__(self) -> None:
        self.storages: dict[int, Any] = {}

    def of(self, tensor: Any) -> Any:
        import torch

        if not tensor.dtype.is_floating_point or tensor.layout != torch.strided:
            return tensor
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        if key not in self.storages:
            whole = torch.empty(0, dtype=tensor.dtype).set_(storage)
            self.storages[key] = whole.double()
        wide = self.storages[key]
        view = wide.detach().as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
        if type(tensor) is torch.nn.Parameter:
            return torch.nn.Parameter(view, requires_grad=tensor.requires_grad)
        return view.requires_grad_(tensor.requires_grad)


def widened(namespace: dict[str, Any], entry: Any, calls: list[tuple]) -> list[tuple]:
    import torch
    from torch.utils import _pytree

    widening = Widening()
    for name, value in list(namespace.items()):
        if isinstance(value, torch.Tensor):
            namespace[name] = widening.of(value)
    for cell in getattr(entry, "__closure__", None) or ():
        if isinstance(cell.cell_contents, torch.Tensor):
            cell.cell_contents = widening.of(cell.cell_contents)
    if isinstance(entry, torch.nn.Module):
        entry.double()
    return [_pytree.tree_map_only(torch.Tensor, widening.of, call) for call in calls]


def leaves(role: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Tensors and numbers by their path; anything else as text."""
    import torch
    from torch.utils import _pytree

    if isinstance(value, types.GeneratorType):
        value = list(value)
    for path, leaf in _pytree.tree_flatten_with_path(value)[0]:
        name = f"{role} y{_pytree.keystr(path)}" if role == "output" else f"{role} x{_pytree.keystr(path)}"
        if isinstance(leaf, torch.Tensor) or isinstance(leaf, (bool, int, float)):
            yield name, leaf
        else:
            yield f"state {name}", text_of(leaf)


def gradients(entry: Any, call: tuple, outputs: Any) -> Iterator[tuple[str, Any]]:
    import torch
    from torch.utils import _pytree

    def differentiable(tensor: Any) -> bool:
        return isinstance(tensor, torch.Tensor) and tensor.requires_grad

    wanted = [leaf for leaf in _pytree.tree_leaves(outputs) if differentiable(leaf)]
    if not wanted:
        return
    sum((output.double().sum() for output in wanted), torch.zeros((), dtype=torch.float64)).backward()
    for name, leaf in leaves("input", call):
        if differentiable(leaf) and leaf.is_leaf and leaf.grad is not None:
            yield name.replace("input", "gradient", 1), leaf.grad
    if isinstance(entry, torch.nn.Module):
        for name, parameter in entry.named_parameters():
            if parameter.grad is not None:
                yield f"gradient {name}", parameter.grad


def run_file(request: Request, compiled: Callable[[Request, Any], Any], describe: Callable[[Any], Any]) -> None:
    import torch

    namespace = executed(request.program if isinstance(request.program, str) else request.program.decode())
    if request.entry not in namespace:
        raise TypeError(f"the file has no '{request.entry}'")
    entry = namespace[request.entry]
    torch.manual_seed(0)
    calls = example_calls(namespace)
    if request.settings.get("wide"):
        calls = widened(namespace, entry, calls)
    if request.settings.get("grad"):
        for call in calls:
            for name, leaf in leaves("input", call):
                if isinstance(leaf, torch.Tensor) and leaf.dtype.is_floating_point and leaf.is_leaf:
                    leaf.requires_grad_()
    run = compiled(request, entry)
    torch.manual_seed(0)
    for number, call in enumerate(calls):
        request.phase("execute" if run is entry or number > 0 else "compile")
        with torch.enable_grad():
            outputs = run(*call)
            left = list(leaves("output", outputs))
            left += gradients(entry, call, outputs)
        request.phase("fetch")
        left += leaves("input", call)
        if isinstance(entry, torch.nn.Module):
            state = [*entry.named_parameters(), *entry.named_buffers()]
            left += [(f"attribute {name}", tensor) for name, tensor in state]
        left += kept(namespace, entry)
        plain = [(name, tensor.detach() if isinstance(tensor, torch.Tensor) else tensor) for name, tensor in left]
        request.end_call(describe, [], [], plain)
