"""Runs a callable of a Python file: what only Python can say (closures, classes, generators, gradients).

The file is executed anew for every run, so that nothing is left of an earlier one. The entry is a function, a module
or any other callable; `example_calls()` gives a list of calls, or `example_inputs` one. After each call leave: outputs
by their path, arguments, gradients where something requires them, a module's parameters and buffers, and what Python
keeps: plain data in globals, classes, closures and attributes of the entry, torch's global settings, and whether random
numbers were drawn.
"""
import contextlib
import functools
import linecache
import random
import sys
import types
from typing import Any, Callable, Iterator

from faultline.workers.protocol import Request
from faultline.workers.python_values import Widening, is_data, is_tensor, leaves, replaced, structure, text_of

FILE_NAME = "<python file>"
MODULE = "faultline_program"


class Call:
    def __init__(self, call: Any) -> None:
        """A tuple of arguments, an object with `args` and `kwargs`, or the only argument."""
        has_both = hasattr(call, "args") and hasattr(call, "kwargs")
        self.args = call.args if has_both else call if isinstance(call, tuple) else (call,)
        self.kwargs = call.kwargs if has_both else {}

    def leaves(self) -> list[tuple[str, Any]]:
        """Arguments by position are x[0], x[1]; those by name have it."""
        named = [leaf for name, value in self.kwargs.items() for leaf in leaves(value, name)]
        return [*leaves(self.args, "x"), *named]

    def containers(self) -> dict[int, str]:
        """Names of the arguments and the leaves in them, by identity."""
        whole = {id(value): f"x[{index}]" for index, value in enumerate(self.args)}
        whole |= {id(value): name for name, value in self.kwargs.items()}
        return whole | {id(leaf): name for name, leaf in self.leaves() if is_tensor(leaf)}


def executed(source: str) -> dict[str, Any]:
    """As a module of its own: where Dynamo and pickle look for what it defines."""
    linecache.cache[FILE_NAME] = (len(source), None, source.splitlines(keepends=True), FILE_NAME)
    module = types.ModuleType(MODULE)
    module.__file__ = FILE_NAME
    sys.modules[MODULE] = module
    exec(compile(source, FILE_NAME, "exec"), module.__dict__)
    return module.__dict__


def example_calls(namespace: dict[str, Any]) -> list[Call]:
    if "example_calls" in namespace:
        calls = namespace["example_calls"]
        calls = calls() if callable(calls) else calls
    elif "example_inputs" in namespace:
        inputs = namespace["example_inputs"]
        calls = [inputs() if callable(inputs) else inputs]
    else:
        raise TypeError("the file has neither example_calls nor example_inputs")
    return [Call(call) for call in calls]


def function_of(entry: Any) -> Any:
    """The Python function that runs when the entry is called."""
    function = getattr(entry, "forward", entry)
    function = getattr(function, "__func__", function)
    return function if isinstance(function, types.FunctionType) else getattr(type(entry), "__call__", None)


def cells_of(entry: Any) -> Iterator[tuple[str, Any]]:
    function = function_of(entry)
    if isinstance(function, types.FunctionType):
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            with contextlib.suppress(ValueError):  # not set yet
                cell.cell_contents
                yield name, cell


def namespaces_of(namespace: dict[str, Any], entry: Any) -> list[dict[str, Any]]:
    """The file's globals, and those of the entry where it comes from another module of the user's."""
    own = getattr(function_of(entry), "__globals__", namespace)
    module = str(own.get("__name__", ""))
    return [namespace] if own is namespace or module.split(".")[0] == "torch" else [namespace, own]


def kept_by_class(name: str, kind: type) -> Iterator[tuple[str, str]]:
    for attribute, value in sorted(vars(kind).items()):
        if not attribute.startswith("_") and is_data(value) and not hasattr(value, "__get__"):
            yield f"state class {name}.{attribute}", text_of(value)


def kept_by_globals(namespace: dict[str, Any], entry: Any) -> Iterator[tuple[str, str]]:
    for name, value in sorted(namespace.items()):
        if name.startswith("_") or name in ("example_inputs", "example_calls") or value is entry:
            continue
        if isinstance(value, type) and value.__module__ in (MODULE, namespace.get("__name__"), "__main__"):
            yield from kept_by_class(name, value)
        elif is_data(value) and not is_tensor(value):
            yield f"state global {name}", text_of(value)


def held_tensors(namespaces: list[dict[str, Any]], entry: Any) -> list[tuple[str, Any]]:
    """Those in globals and in the entry's closure, and a module's parameters and buffers."""
    import torch

    held = [
        (f"global {name}", value)
        for namespace in namespaces
        for name, value in sorted(namespace.items())
        if is_tensor(value) and not name.startswith("_") and name != "example_inputs"
    ]
    held += [(f"closure {name}", cell.cell_contents) for name, cell in cells_of(entry) if is_tensor(cell.cell_contents)]
    if isinstance(entry, torch.nn.Module):
        held += [*entry.named_parameters(), *entry.named_buffers()]
    return held


def kept(namespaces: list[dict[str, Any]], entry: Any) -> Iterator[tuple[str, str]]:
    """What outlives a call, but for tensors that the comparison sees by themselves."""
    import torch

    for namespace in namespaces:
        yield from kept_by_globals(namespace, entry)
    for name, cell in cells_of(entry):
        if is_data(cell.cell_contents):
            yield f"state closure {name}", text_of(cell.cell_contents)
    if isinstance(entry, torch.nn.Module):
        for name, value in sorted(vars(entry).items()):
            if not name.startswith("_") and is_data(value):
                yield f"state attribute {name}", text_of(value)


def torch_settings() -> dict[str, str]:
    """What a program may change for everybody after it."""
    import torch

    found = {
        "default dtype": torch.get_default_dtype(),
        "gradients": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "autocast of the CPU": torch.is_autocast_enabled("cpu"),
        "anomaly mode": torch.is_anomaly_enabled(),
        "threads": torch.get_num_threads(),
    }
    return {name: str(value) for name, value in found.items()}


@contextlib.contextmanager
def restored_settings() -> Iterator[None]:
    import torch

    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    modes = (torch.is_grad_enabled(), torch.is_autocast_enabled("cpu"), torch.is_anomaly_enabled())
    deterministic = torch.are_deterministic_algorithms_enabled()
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)
        torch.set_grad_enabled(modes[0])
        torch.set_autocast_enabled("cpu", modes[1])
        torch.autograd.set_detect_anomaly(modes[2])
        torch.use_deterministic_algorithms(deterministic)


def random_states() -> dict[str, Any]:
    """Compilers may draw other numbers than eager, but not where eager draws none."""
    import torch

    states = {"torch": bytes(torch.get_rng_state().numpy()), "random": random.getstate()}
    if "numpy" in sys.modules:
        states["numpy"] = str(sys.modules["numpy"].random.get_state()[1:])
    return states


def widened(namespaces: list[dict[str, Any]], entry: Any, calls: list[Call]) -> None:
    import torch

    widening = Widening()
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if is_tensor(value):
                namespace[name] = widening.of(value)
    for _, cell in cells_of(entry):
        if is_tensor(cell.cell_contents):
            cell.cell_contents = widening.of(cell.cell_contents)
    if isinstance(entry, torch.nn.Module):
        entry.double()
    for call in calls:
        call.args = tuple(replaced(list(call.args), widening.of))
        call.kwargs = replaced(call.kwargs, widening.of)


def left_by(role: str, found: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Tensors and numbers by their path; anything else as text."""
    for name, leaf in found:
        if is_tensor(leaf) or isinstance(leaf, (bool, int, float)):
            yield f"{role} {name}", leaf
        else:
            yield f"state {role} {name}", text_of(leaf)


def differentiable(value: Any) -> bool:
    return is_tensor(value) and value.requires_grad and (value.is_floating_point() or value.is_complex())


def gradients(given: list[tuple[str, Any]], results: list[Any]) -> Iterator[tuple[str, Any]]:
    """Of the sum of all that requires them: what was returned, and arguments that were written."""
    import torch

    wanted = {id(leaf): leaf for leaf in results if differentiable(leaf) and leaf.grad_fn is not None}
    if not wanted:
        return
    with torch.enable_grad():
        total = torch.zeros((), dtype=torch.float64)
        for result in wanted.values():
            total = total + (result.abs() if result.is_complex() else result).double().sum()
        total.backward()
    for name, tensor in given:
        if is_tensor(tensor) and (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None:
            yield f"gradient {name}", tensor.grad


def ask_for_gradients(call: Call, of_all: bool) -> list[tuple[str, Any]]:
    """The arguments of which gradients are asked: of those that were computed, too."""
    given = [(name, leaf) for name, leaf in call.leaves() if is_tensor(leaf)]
    for _, tensor in given:
        if of_all and tensor.is_floating_point() and tensor.is_leaf:
            tensor.requires_grad_()
        if tensor.requires_grad and not tensor.is_leaf:
            tensor.retain_grad()
    return given


Held = Callable[[], list[tuple[str, Any]]]


def run_call(run: Callable[..., Any], call: Call, held: Held, of_all: bool) -> Iterator[tuple[str, Any]]:
    """Runs it and gives what it left under a name each, "output y[0]": the first word is its role."""
    given = ask_for_gradients(call, of_all)
    origins = {id(tensor): tensor.grad_fn for _, tensor in given}
    settings, states = torch_settings(), random_states()
    known = call.containers()
    outputs = run(*call.args, **call.kwargs)
    if isinstance(outputs, types.GeneratorType):
        outputs = list(outputs)
    for name, value in torch_settings().items():
        yield f"state torch {name}", value if value != settings[name] else "as before"
    for name, state in random_states().items():
        yield f"state random numbers of {name}", "none drawn" if states.get(name, state) == state else "drawn"
    found = list(leaves(outputs, "y"))
    yield "state output structure", structure(outputs, known)
    yield from left_by("output", found)
    written = [leaf for _, leaf in call.leaves() if is_tensor(leaf) and leaf.grad_fn is not origins.get(id(leaf))]
    yield from gradients([*given, *held()], [leaf for _, leaf in found] + written)
    yield from left_by("input", call.leaves())
    yield from left_by("attribute", held())


def plain(value: Any) -> Any:
    return value.detach() if is_tensor(value) else value


def run_file(request: Request, compiled: Callable[[Request, Any], Any], describe: Callable[[Any], Any]) -> None:
    import torch

    with restored_settings(), torch.enable_grad():
        namespace = executed(request.program if isinstance(request.program, str) else request.program.decode())
        if request.entry not in namespace:
            raise TypeError(f"the file has no '{request.entry}'")
        entry = namespace[request.entry]
        namespaces = namespaces_of(namespace, entry)
        torch.manual_seed(0)
        calls = example_calls(namespace)
        if request.settings.get("wide"):
            widened(namespaces, entry, calls)
        run = compiled(request, entry)
        torch.manual_seed(0)
        random.seed(0)
        for number, call in enumerate(calls):
            request.phase("execute" if run is entry or number > 0 else "compile")
            held = functools.partial(held_tensors, namespaces, entry)
            left = list(run_call(run, call, held, request.settings.get("grad", False)))
            request.phase("fetch")
            left += kept(namespaces, entry)
            request.end_call(describe, [], [], [(name, plain(value)) for name, value in left])
