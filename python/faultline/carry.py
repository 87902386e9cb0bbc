"""Takes Python values to another process of the same Python, by value where that process could not import them.

A pickle with answers of its own for what pickle refuses: functions and classes that no module holds under their name
(closures, lambdas, what `__main__` or a notebook defines), and for tensors, which keep their strides and who shares
memory with whom. A function takes along its code, its cells, and of its globals those that it names; functions of one
namespace stay in one. Annotations stay behind.
"""
import base64
import builtins
import dataclasses
import dis
import enum
import importlib
import importlib.util
import io
import marshal
import pickle
import sys
import types
from typing import Any, Callable, Iterator

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
OWN_OF_CLASS = ("__dict__", "__weakref__", "__module__", "__qualname__", "__doc__", "__slots__", "__annotations__")
OWN_OF_CLASS += ("__abstractmethods__", "_abc_impl", "_backward_cls", "__annotate__", "__annotate_func__")
SENTINELS = ("MISSING", "KW_ONLY", "_FIELD", "_FIELD_CLASSVAR", "_FIELD_INITVAR", "_HAS_DEFAULT_FACTORY")


class CannotCarry(TypeError):
    """A value that cannot be taken to another process. The text says which, and where it stands."""


@dataclasses.dataclass
class Namespace:
    """Stands for the globals of functions that are carried."""

    name: str


@dataclasses.dataclass
class Bytes:
    """Stands for the memory of tensors."""

    content: bytes


def is_importable(value: Any) -> bool:
    """Whether a fresh process finds this very function or class under its name."""
    name = getattr(value, "__module__", None)
    module = sys.modules.get(name) if isinstance(name, str) else None
    if module is None or name in ("__main__", "__mp_main__") or not is_findable(name):
        return False
    found: Any = module
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value


def is_findable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def instructions(code: types.CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from instructions(constant)


def names_used(code: types.CodeType) -> tuple[set[str], set[str]]:
    """Names looked up in the globals, and all words after a dot."""
    names, words = set(), set()
    for instruction in instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL"):
            names.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            words.add(instruction.argval)
    return names, words


def submodules_used(module: types.ModuleType, words: set[str]) -> list[str]:
    """`import a.b` leaves only `a` in the globals."""
    prefix = module.__name__ + "."
    below = [name for name in sys.modules if name.startswith(prefix)]
    return sorted(name for name in below if set(name[len(prefix) :].split(".")) <= words)


def globals_used(function: types.FunctionType) -> dict[str, Any]:
    names, _ = names_used(function.__code__)
    return {name: function.__globals__[name] for name in sorted(names) if name in function.__globals__}


def cells_used(function: types.FunctionType) -> dict[str, Any]:
    filled = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            filled[name] = cell.cell_contents
        except ValueError:  # not set yet
            pass
    return filled


# What runs in the other process.


def make_namespace(name: str) -> dict[str, Any]:
    """That of a module of its own: Dynamo looks for globals by their module's name."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    module.__dict__["__builtins__"] = builtins
    return module.__dict__


def make_cell() -> types.CellType:
    return types.CellType()


def make_function(code: types.CodeType, namespace: dict, name: str, cells: tuple | None) -> types.FunctionType:
    return types.FunctionType(code, namespace, name, None, cells)


def set_function(function: types.FunctionType, state: dict) -> None:
    for name in state["submodules"]:
        importlib.import_module(name)
    for name, value in state["attributes"].items():
        setattr(function, name, value)
    function.__dict__.update(state["dict"])
    function.__globals__.update(state["globals"])
    for cell, value in state["cells"]:
        cell.cell_contents = value


def make_class(meta: type, name: str, bases: tuple, skeleton: dict) -> type:
    return types.new_class(name, bases, {"metaclass": meta}, lambda namespace: namespace.update(skeleton))


def set_class(made: type, members: dict) -> None:
    for name, value in members.items():
        type.__setattr__(made, name, value)


def make_storage(content: bytes) -> Any:
    import torch

    storage = torch.UntypedStorage(len(content))
    if content:
        torch.empty(0, dtype=torch.uint8).set_(storage).copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
    return storage


def make_tensor(storage: Any, dtype: Any, place: tuple, requires_grad: bool, kind: str) -> Any:
    import torch

    tensor = torch.empty(0, dtype=dtype).set_(storage, *place)
    if kind == "parameter":
        return torch.nn.Parameter(tensor, requires_grad=requires_grad)
    tensor.requires_grad_(requires_grad)
    # Of what the tensor was computed from, nothing is carried; that it was computed, is.
    return tensor.view_as(tensor) if kind == "computed" else tensor


def member_of(holder: Any, name: str) -> Any:
    return getattr(holder, name)


class Carrier(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.namespaces: dict[int, Namespace] = {}
        self.storages: dict[Any, Bytes] = {}

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, types.FunctionType):
            return NotImplemented if is_importable(value) else self.function(value)
        if isinstance(value, type):
            return self.own_of_python(value) if value.__module__ == "builtins" else self.class_of(value)
        simple = self.simple(value)
        if simple is not NotImplemented:
            return simple
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self.tensor(value, torch)
        return NotImplemented

    @staticmethod
    def simple(value: Any) -> Any:
        if isinstance(value, types.CodeType):
            return marshal.loads, (marshal.dumps(value),)
        if isinstance(value, types.CellType):
            return make_cell, ()  # filled by the function that has it
        if isinstance(value, types.ModuleType):
            if not is_findable(value.__name__):
                raise CannotCarry(f"the module '{value.__name__}' is in no file that can be imported")
            return importlib.import_module, (value.__name__,)
        if isinstance(value, Namespace):
            return make_namespace, (value.name,)
        if isinstance(value, Bytes):
            return make_storage, (value.content,)
        if isinstance(value, (staticmethod, classmethod)):
            return type(value), (value.__func__,)
        if type(value) is property:
            return property, (value.fget, value.fset, value.fdel, value.__doc__)
        if isinstance(value, types.MappingProxyType):
            return types.MappingProxyType, (dict(value),)
        for name in SENTINELS:
            if value is getattr(dataclasses, name, value.__class__):
                return member_of, (dataclasses, name)
        return NotImplemented

    def function(self, function: types.FunctionType) -> tuple:
        key = id(function.__globals__)
        if key not in self.namespaces:
            name = str(function.__globals__.get("__name__", "nameless")).strip("_").replace(".", "_")
            self.namespaces[key] = Namespace(f"carried_{len(self.namespaces)}_{name}")
        _, words = names_used(function.__code__)
        used = globals_used(function)
        values = [*used.values(), *cells_used(function).values()]
        modules = [value for value in values if isinstance(value, types.ModuleType)]
        cells = [(cell, cell.cell_contents) for cell in function.__closure__ or () if has_content(cell)]
        state = {
            "attributes": {
                "__defaults__": function.__defaults__,
                "__kwdefaults__": function.__kwdefaults__,
                "__qualname__": function.__qualname__,
                "__doc__": function.__doc__,
            },
            "dict": dict(function.__dict__),
            "globals": used,
            "cells": cells,
            "submodules": [name for module in modules for name in submodules_used(module, words)],
        }
        made = (function.__code__, self.namespaces[key], function.__name__, function.__closure__)
        return make_function, made, state, None, None, set_function

    @staticmethod
    def own_of_python(value: type) -> Any:
        """Classes such as that of cells say that they are in `builtins`, where they are not."""
        for name, kind in vars(types).items():
            if kind is value and not hasattr(builtins, value.__name__):
                return member_of, (types, name)
        return NotImplemented

    def class_of(self, carried: type) -> Any:
        if is_importable(carried):
            return NotImplemented
        if issubclass(carried, enum.Enum):
            raise CannotCarry(f"the enum {carried.__name__} is in no file that can be imported; put it in a module")
        members = vars(carried)
        skeleton = {"__module__": carried.__module__, "__qualname__": carried.__qualname__, "__doc__": carried.__doc__}
        slots = members.get("__slots__", ())
        if "__slots__" in members:
            skeleton["__slots__"] = slots
        own = {*OWN_OF_CLASS, *([slots] if isinstance(slots, str) else slots)}
        state = {name: value for name, value in members.items() if name not in own}
        return make_class, (type(carried), carried.__name__, carried.__bases__, skeleton), state, None, None, set_class

    def tensor(self, tensor: Any, torch: Any) -> tuple:
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise CannotCarry(f"a tensor of class {type(tensor).__name__}: only plain ones and parameters are carried")
        if tensor.device.type != "cpu" or tensor.layout != torch.strided or tensor.is_quantized:
            place = f"a tensor on {tensor.device} of {tensor.layout}"
            raise CannotCarry(f"{place}: only dense tensors of the CPU are carried")
        if tensor.is_conj() or tensor.is_neg():
            raise CannotCarry("a tensor that is conjugated or negated lazily: call resolve_conj() and resolve_neg()")
        storage = tensor.untyped_storage()
        key = storage.data_ptr() or ("empty", storage._cdata)
        if key not in self.storages:
            flat = torch.empty(0, dtype=torch.uint8).set_(storage)
            self.storages[key] = Bytes(bytes(memoryview(flat.numpy())) if flat.numel() else b"")
        kind = "parameter" if isinstance(tensor, torch.nn.Parameter) else "plain" if tensor.is_leaf else "computed"
        place = (tensor.storage_offset(), tuple(tensor.size()), tuple(tensor.stride()))
        return make_tensor, (self.storages[key], tensor.dtype, place, tensor.requires_grad, kind)


def has_content(cell: Any) -> bool:
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def pickled(value: Any) -> bytes:
    file = io.BytesIO()
    Carrier(file).dump(value)
    return file.getvalue()


def problem(value: Any) -> str:
    """Empty, or why it cannot be carried."""
    try:
        pickled(value)
    except Exception as error:  # any class may raise anything from its __reduce__
        return str(error)
    return ""


def culprit(value: Any, place: str, depth: int = 0) -> str:
    """The innermost value that cannot be carried by itself, and where it stands."""
    parts: dict[str, Any] = {}
    if isinstance(value, types.FunctionType):
        used = {**globals_used(value), **cells_used(value)}
        parts = {f"'{name}' of {value.__name__}": part for name, part in used.items()}
    elif isinstance(value, dict):
        parts = {f"{place}[{key!r}]": part for key, part in value.items()}
    elif isinstance(value, (list, tuple)):
        parts = {f"{place}[{index}]": part for index, part in enumerate(value)}
    elif not isinstance(value, type) and hasattr(value, "__dict__"):
        parts = {f"{place}.{name}": part for name, part in vars(value).items()}
    for name, part in parts.items() if depth < 8 else ():
        if problem(part):
            return culprit(part, name, depth + 1)
    return f"{place} ({type(value).__name__}): {problem(value)}"


def carried(values: dict[str, Any]) -> str:
    """Text that `restored` turns into equal values. The keys say what they are, for who reads an error."""
    try:
        return base64.b85encode(pickled(values)).decode()
    except Exception as error:
        for name, value in values.items():
            if problem(value):
                raise CannotCarry(f"cannot be taken to another process: {culprit(value, name)}") from error
        raise CannotCarry(f"cannot be taken to another process: {error}") from error


def restored(text: str, python: str) -> dict[str, Any]:
    if python != PYTHON:
        raise RuntimeError(f"this file holds compiled code of Python {python}, and this is Python {PYTHON}")
    return pickle.loads(base64.b85decode("".join(text.split())))


def executed_anew(name: str, path: str) -> types.ModuleType:
    """The module as if nobody had imported it yet; from here on others import this one."""
    package, _, _ = name.rpartition(".")
    if package:
        importlib.import_module(package)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def member(module: types.ModuleType, qualified_name: str) -> Callable:
    found: Any = module
    for part in qualified_name.split("."):
        found = getattr(found, part)
    return found
