"""What a Python value is made of: its tensors and numbers by their path, its plain data as text, and its structure.

Containers are lists, tuples, dictionaries, sets, data classes, and objects with attributes; everything else is a leaf.
"""
import dataclasses
import types
from typing import Any, Callable, Iterator

PLAIN = (bool, int, float, complex, str, bytes, type(None))
DEPTH_MAX = 6


def is_tensor(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor)


def is_data(value: Any) -> bool:
    return not isinstance(value, (types.ModuleType, type)) and not callable(value)


def parts(value: Any) -> list[tuple[str, Any]] | None:
    """What a container holds, each with what is written behind the container to get it; None for a leaf."""
    if isinstance(value, PLAIN) or is_tensor(value):
        return None
    if isinstance(value, dict):
        return [(f"[{key!r}]" if isinstance(key, PLAIN) else f"[{text_of(key)}]", part) for key, part in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f".{name}", part) for name, part in zip(value._fields, value)]
    if isinstance(value, (list, tuple)) or type(value).__name__ == "deque":
        return [(f"[{index}]", part) for index, part in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f".{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    if hasattr(value, "__dict__") and is_data(value):
        return [(f".{name}", part) for name, part in sorted(vars(value).items())]
    return None


def leaves(value: Any, path: str, above: tuple = ()) -> Iterator[tuple[str, Any]]:
    """Every leaf with its path; a container that holds itself ends there."""
    inner = None if id(value) in above or len(above) > 4 * DEPTH_MAX else parts(value)
    if inner is None:
        yield path, value
        return
    for step, part in inner:
        yield from leaves(part, path + step, (*above, id(value)))


def replaced(value: Any, change: Callable[[Any], Any], above: tuple = ()) -> Any:
    """With every tensor changed: in place where a container can be written, anew where it is a tuple."""
    if is_tensor(value):
        return change(value)
    inner = None if id(value) in above else parts(value)
    if inner is None:
        return value
    new = [replaced(part, change, (*above, id(value))) for _, part in inner]
    if isinstance(value, tuple):
        return type(value)(*new) if hasattr(value, "_fields") else type(value)(new)
    if isinstance(value, dict):
        for key, part in zip(list(value), new):
            value[key] = part
    elif isinstance(value, (list,)) or type(value).__name__ == "deque":
        for index, part in enumerate(new):
            value[index] = part
    else:
        for (step, _), part in zip(inner, new):
            object.__setattr__(value, step[1:], part)  # frozen data classes too
    return value


def text_of(value: Any, depth: int = 0, seen: tuple = ()) -> str:
    """Plain data as text that does not depend on addresses, nor on the floats inside of tensors."""
    if isinstance(value, PLAIN):
        return repr(value)
    if is_tensor(value):
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
        members = [f"{name}={text_of(part, depth + 1, inner)}" for name, part in sorted(vars(value).items())]
        return f"{type(value).__name__}({', '.join(members)})"
    return type(value).__name__


def structure(value: Any, known: dict[int, str], above: tuple = ()) -> str:
    """Which containers hold what, as text. A tensor that is itself one of `known`, and not only shares its memory, has
    that name; one that requires gradients says so."""
    if is_tensor(value):
        return known.get(id(value), "tensor") + (" with gradient" if value.requires_grad else "")
    inner = None if id(value) in above else parts(value)
    if inner is None:
        return type(value).__name__
    if id(value) in known and not isinstance(value, tuple):
        return known[id(value)]
    return type(value).__name__ + "(" + ", ".join(
        step.lstrip(".") + " " + structure(part, known, (*above, id(value))) for step, part in inner
    ) + ")"


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
        view = self.storages[key].detach().as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
        if type(tensor) is torch.nn.Parameter:
            return torch.nn.Parameter(view, requires_grad=tensor.requires_grad)
        view.requires_grad_(tensor.requires_grad)
        return view if tensor.is_leaf else view.view_as(view)
