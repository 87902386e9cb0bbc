"""check: a Python callable under a compiler and under eager PyTorch, each in a process of its own.

What is checked is written to a Python file of the form that the command takes (docs/python-programs.md). A callable
that a module holds is loaded from that module's file, which is executed anew for every run; anything else is carried by
value, as it is now. So are the arguments.
"""
import dataclasses
import os
import sys
import sysconfig
import tempfile
import textwrap
import types
from typing import Any, Callable, Iterable

from faultline import carry, verdict
from faultline.verdict import Verdict

ENTRY = "entry"
BYTES_MAX = 60 << 20  # a program travels in one frame


class Call:
    """The arguments of one call: Call(x, scale=2.0)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs


@dataclasses.dataclass
class Place:
    """Where a callable is found in a file."""

    module: str
    path: str
    qualified_name: str


def uncompiled(function: Callable) -> Callable:
    """What torch.compile was given, where this is its result."""
    inner = getattr(function, "_orig_mod", None)
    return inner if inner is not None else getattr(function, "_torchdynamo_orig_callable", function)


def is_installed(path: str) -> bool:
    """Part of Python or of a package, which nobody changes and which must not be executed twice."""
    folders = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(path.startswith(os.path.realpath(folder) + os.sep) for folder in folders)


def place_of(function: Callable) -> Place | None:
    """The file of a function, or of an object's class."""
    named = function if isinstance(function, types.FunctionType) else type(function)
    path = getattr(sys.modules.get(named.__module__), "__file__", None)
    if path is None or not path.endswith(".py") or not carry.is_importable(named):
        return None
    path = os.path.realpath(path)
    return None if is_installed(path) else Place(named.__module__, path, named.__qualname__)


def source_of(function: Callable, calls: list[Call]) -> str:
    place = place_of(function)
    is_function = place is not None and isinstance(function, types.FunctionType)
    values: dict[str, Any] = {} if is_function else {"the callable": function}
    values |= {f"call {number + 1}": (call.args, call.kwargs) for number, call in enumerate(calls)}
    data = "\n".join(textwrap.wrap(carry.carried(values), 116, break_on_hyphens=False))
    folders = [folder for folder in map(os.path.abspath, sys.path) if os.path.isdir(folder)]
    lines = ['"""Written by faultline.check."""', "import sys", ""]
    lines += [f"sys.path += [folder for folder in {folders!r} if folder not in sys.path]", ""]
    lines += ["from faultline import carry as _carry", "from faultline.checking import Call as _Call", ""]
    if place:
        lines.append(f"_module = _carry.executed_anew({place.module!r}, {place.path!r})")
    lines.append(f'_values = _carry.restored(r"""\n{data}\n""", {carry.PYTHON!r})')
    found = f"_carry.member(_module, {place.qualified_name!r})" if is_function else "_values.pop('the callable')"
    lines += [f"{ENTRY} = {found}", "", "", "def example_calls():"]
    lines += ["    return [_Call(*args, **kwargs) for args, kwargs in _values.values()]", ""]
    source = "\n".join(lines)
    if len(source) > BYTES_MAX:
        raise carry.CannotCarry(f"the arguments take {len(source)} bytes as text, at most {BYTES_MAX}")
    return source


def as_calls(args: tuple, kwargs: dict | None, calls: Iterable | None) -> list[Call]:
    if calls is None:
        return [Call(*args, **(kwargs or {}))]
    if args or kwargs:
        raise TypeError("give either the arguments of one call or calls=")
    made = [call if isinstance(call, Call) else Call(*(call if isinstance(call, tuple) else (call,))) for call in calls]
    if not made:
        raise TypeError("calls= is empty")
    return made


def option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "auto" if value is None else str(value)


def kept_file(source: str, keep: str | None) -> str:
    if keep is None:
        number, keep = tempfile.mkstemp(prefix="faultline-", suffix=".py")
        os.close(number)
    with open(keep, "w") as file:
        file.write(source)
    return os.path.abspath(keep)


def check(
    fn: Callable,
    *args: Any,
    backend: str = "inductor",
    calls: Iterable | None = None,
    kwargs: dict[str, Any] | None = None,
    keep: str | None = None,
    **options: Any,
) -> Verdict:
    """Runs `fn` under `backend` and under eager PyTorch and says what differs: values, gradients, metadata, aliasing,
    writes to arguments and state, errors. A mismatch is no exception.

    `args` and `kwargs` are the arguments of one call; `calls` are several calls in turn, each a tuple or a Call.
    Options are the backend's: dynamic=True, fullgraph=True, grad=True. The file that is run is written to `keep`;
    without it, to a temporary file that stays only if something is wrong, so that `replay` works.
    """
    function = uncompiled(fn)
    if not callable(function):
        raise TypeError(f"a {type(fn).__name__} cannot be called")
    path = kept_file(source_of(function, as_calls(args, kwargs, calls)), keep)
    arguments = [f"py:{path}::{ENTRY}", "--backend", backend]
    for name, value in options.items():
        arguments += ["--option", f"{name}={option_text(value)}"]
    try:
        found = verdict.of_run(arguments)
    except BaseException:
        if keep is None:
            os.unlink(path)
        raise
    if found.passed and keep is None:
        os.unlink(path)
    return found


def assert_matches_eager(fn: Callable, *args: Any, **named: Any) -> Verdict:
    """As check, but what is no pass is an AssertionError with the report: a mismatch, and a run that proves nothing."""
    found = check(fn, *args, **named)
    if not found.passed:
        name = getattr(fn, "__name__", type(fn).__name__)
        raise AssertionError(f"{name}: {found.outcome}\n{found.text}")
    return found
