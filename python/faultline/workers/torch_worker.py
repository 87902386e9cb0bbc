"""Runs programs under torch.compile, one request after another in one process.

A program is the source of a module with one function that returns a tuple; its first parameter is `self` if it has
state. Settings, all optional:

  backend     "none" (plain eager), "eager", "aot_eager", "aot_eager_decomp_partition", "inductor", or any other name
              that torch.compile knows
  dynamic     null or "auto", true, false: as torch.compile's
  fullgraph   true: a graph break is an error
  inductor, functorch, dynamo   {"cpp.simdlen": 1}: settings of torch._inductor.config, torch._functorch.config and
              torch._dynamo.config by their names there, for this request
  threads     1 if not given
  deterministic   true: torch.use_deterministic_algorithms
  code        true: the attestation carries Inductor's generated source

Inductor's directory with precompiled headers lasts as long as the supervisor lets it; results of compiling are never
taken from a cache.
"""
import contextlib
import functools
import linecache
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Iterator

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from faultline.workers import header_cache  # noqa: E402
from faultline.workers.python_files import run_file  # noqa: E402
from faultline.workers.protocol import (
    Raised,
    Rejected,
    Request,
    TensorView,
    Unavailable,
    one_line,
    serve,
)
from faultline.workers.tensors import describe, make_storage, make_value

CACHE = os.environ.get("XDG_CACHE_HOME") or tempfile.mkdtemp()
GENERATED = os.path.join(CACHE, "inductor")
os.environ["TORCHINDUCTOR_CACHE_DIR"] = GENERATED
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # more are processes, which would outlive a crash

SETTINGS = {"backend", "dynamic", "fullgraph", "inductor", "functorch", "dynamo", "threads", "deterministic", "code"}
SETTINGS |= {"wide", "grad"}  # of Python files
FILE_NAME = "<program>"


class State:
    """What a program calls `self`."""


@functools.cache
def imported_lowering() -> Any:
    """What generates code: two seconds more, which the stages before Inductor do without."""
    import torch._inductor.graph

    lowering = torch._inductor.graph.GraphLowering
    if not hasattr(lowering, "save_output_code"):
        raise Unavailable(f"torch {torch.__version__} does not show the code that it generates")
    return lowering


@functools.cache
def imported_compilers() -> Any:
    """Dynamo and what it imports of Inductor: seconds, which plain eager does without. What is private breaks here."""
    import torch

    # Precompiled headers go where temporary files were at this moment, and take a quarter of a minute to make: they
    # belong with what outlives this process.
    tempfile.tempdir = CACHE
    import torch._inductor.codecache

    tempfile.tempdir = None
    import torch._dynamo.callback
    import torch._dynamo.utils
    import torch._functorch.config
    import torch._inductor.exc
    import torch._inductor.metrics

    handler = torch._dynamo.callback.callback_handler
    used = (torch._dynamo.reset, handler.register_start_callback, handler.register_end_callback)
    used += (torch._dynamo.utils.counters.clear, torch._inductor.metrics.reset)
    headers = torch._inductor.codecache._HEADER_DIR
    if not all(callable(function) for function in used) or not headers.startswith(CACHE):
        raise Unavailable(f"torch {torch.__version__} has other private interfaces than this worker was written for")
    if shared := os.environ.get("FAULTLINE_HEADERS"):
        header_cache.adopt(shared, headers)
    return torch


def share_headers() -> None:
    if shared := os.environ.get("FAULTLINE_HEADERS"):
        header_cache.publish(imported_compilers()._inductor.codecache._HEADER_DIR, shared)


def loaded_function(request: Request) -> Any:
    """The module has a file name of its own, under which tracebacks and Dynamo find its lines."""
    source = request.program if isinstance(request.program, str) else request.program.decode()
    linecache.cache[FILE_NAME] = (len(source), None, source.splitlines(keepends=True), FILE_NAME)
    namespace: dict[str, Any] = {"__name__": "faultline_program"}
    exec(compile(source, FILE_NAME, "exec"), namespace)
    return namespace[request.entry]


def patched(settings: dict, name: str, module: Any, always: dict) -> Any:
    wanted = always | settings.get(name, {})
    for key in wanted:
        try:
            functools.reduce(getattr, key.split("."), module)
        except AttributeError:
            raise Unavailable(f"this torch has no setting {module.__name__}.{key}") from None
    return module.patch(wanted)


@contextlib.contextmanager
def configured(settings: dict, code: list[str]) -> Iterator[None]:
    import torch

    if unknown := sorted(set(settings) - SETTINGS):
        raise Unavailable(f"no such setting of this worker: {', '.join(unknown)}")
    torch.set_num_threads(settings.get("threads", 1))
    torch.use_deterministic_algorithms(settings.get("deterministic", False))
    torch.manual_seed(0)
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        if backend_of(settings) != "none":
            configure_compilers(settings, code, stack)
        yield


def configure_compilers(settings: dict, code: list[str], stack: contextlib.ExitStack) -> None:
    torch = imported_compilers()
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch._inductor.metrics.reset()
    stack.enter_context(patched(settings, "inductor", torch._inductor.config, {"force_disable_caches": True}))
    stack.enter_context(patched(settings, "functorch", torch._functorch.config, {}))
    stack.enter_context(patched(settings, "dynamo", torch._dynamo.config, {}))
    if settings.get("code"):
        lowering = imported_lowering()
        stack.callback(setattr, lowering, "save_output_code", lowering.save_output_code)
        lowering.save_output_code = code.append


def backend_of(settings: dict) -> str:
    return settings.get("backend", "inductor")


def compiled(request: Request, function: Any) -> Any:
    settings = request.settings
    backend = backend_of(settings)
    if backend == "none":
        return function
    torch = imported_compilers()
    dynamic = settings.get("dynamic")
    dynamic = None if dynamic == "auto" else dynamic
    # Dynamo says when it starts and ends to compile a frame, so that later calls that compile again show.
    handler = torch._dynamo.callback.callback_handler
    handler.register_start_callback(lambda _: request.phase("compile"))
    handler.register_end_callback(lambda _: request.phase("execute") if sys.exc_info()[0] is None else None)
    return torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=settings.get("fullgraph", False))


def run_calls(request: Request) -> None:
    function = loaded_function(request)
    storages = [make_storage(content) for content in request.storages]
    state = State()
    for name, value in request.attributes:
        setattr(state, name, make_value(value, storages))
    has_state = function.__code__.co_varnames[:1] == ("self",)
    run = compiled(request, function)
    for number, call in enumerate(request.calls):
        inputs = [make_value(value, storages) for value in call]
        request.phase("execute" if run is function or number > 0 else "compile")
        outputs = run(state, *inputs) if has_state else run(*inputs)
        request.phase("fetch")
        attributes = [(name, getattr(state, name)) for name, _ in request.attributes]
        request.end_call(describe, outputs, inputs, attributes)


def text_of(error: BaseException) -> str:
    """Dynamo's errors say in their second line which error of an operator they stand for."""
    _, found, operator_error = str(error).partition(": got ")
    if not found:
        return one_line(error)
    line = operator_error.splitlines()[0]
    kind, bracket, rest = line.partition("(")
    return f"{kind}: {rest.rstrip(')')}" if bracket and kind.isidentifier() else f"{type(error).__name__}: {line}"


def translated(error: Exception, backend: str) -> Exception:
    """The error that matters: without the wrappers of the compiler, and told apart by whether it is a refusal."""
    if isinstance(error, (Rejected, Unavailable)):
        return error
    if "can't allocate memory" in str(error):
        return MemoryError(one_line(error))
    if backend == "none":
        return error
    torch = imported_compilers()
    exc = torch._inductor.exc
    inner = error
    while isinstance(inner, torch._dynamo.exc.BackendCompilerFailed):
        inner = inner.inner_exception
    text = text_of(inner)
    refusals = (torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError)
    refusals += (exc.MissingOperatorWithDecomp, exc.MissingOperatorWithoutDecomp)
    refused_lowering = ("LoweringException: NotImplementedError", "LoweringException: MissingOperator")
    if isinstance(inner, exc.InvalidCxxCompiler):
        return Unavailable(f"{text}; install g++")
    if isinstance(inner, refusals) or text.startswith(refused_lowering):
        return Rejected(text)
    if "this behavior is banned in compile" in str(inner):  # writes into views by as_strided
        return Rejected(text)
    if inner is not error and isinstance(inner, NotImplementedError):
        return Rejected(text)
    return Raised(text)


def counted() -> dict:
    """What Dynamo and Inductor did: a program that ran uncompiled must not pass for one that was compiled."""
    torch = imported_compilers()
    counters = torch._dynamo.utils.counters
    return {
        "graphs": counters["stats"]["unique_graphs"],
        "graph_breaks": sum(counters["graph_break"].values()),
        "frames": counters["frames"]["total"],
        "frames_compiled": counters["frames"]["ok"],
        "kernels": torch._inductor.metrics.generated_kernel_count,
        "rewrites": counters["inductor"]["pattern_matcher_count"],
    }


def handle(request: Request) -> None:
    if request.form not in ("python", "python_file"):
        raise Unavailable(f"this worker takes no program of form '{request.form}'")
    request.phase("parse")
    backend = backend_of(request.settings)
    if backend != "none":
        imported_compilers()
    code: list[str] = []
    try:
        with configured(request.settings, code):
            if request.form == "python_file":
                run_file(request, compiled, describe)
            else:
                run_calls(request)
        if backend == "inductor":
            share_headers()
    except Exception as error:
        raise translated(error, backend) from error
    finally:
        request.attestation = counted() if backend != "none" else {}
        if code:
            request.attestation["code"] = code
        shutil.rmtree(GENERATED, ignore_errors=True)  # sources and libraries of this request, megabytes


def compiler_version() -> str:
    compiler = os.environ.get("CXX") or "g++"
    if shutil.which(compiler) is None:
        return ""
    found = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True)
    return f"{compiler} {found.stdout.strip()}"


def prove_private_interfaces() -> None:
    """Loud now rather than wrong later."""
    content = bytes(range(12))
    storages = [make_storage(memoryview(content))]
    view = make_value(TensorView("i16", [2, 2], [1, 2], 1, 0), storages)
    seen = describe(view)
    whole = describe(make_value(TensorView("u8", [12], [1], 0, 0), storages))
    assert view.tolist() == [[0x0302, 0x0706], [0x0504, 0x0908]], view
    assert seen.key == whole.key and bytes(seen.content()) == content, seen


def prepare() -> dict:
    try:
        import torch
    except ImportError as error:
        raise Unavailable(f"torch cannot be imported: {error}; install it with pip") from None
    prove_private_interfaces()
    torch.set_num_threads(1)
    smallest = torch.tensor([1e-39])
    return {
        "torch": torch.__version__,
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "compiler": compiler_version(),
        "threads": torch.get_num_threads(),
        "subnormals": "kept" if (smallest * smallest.new_ones(1)).item() != 0 else "flushed",
        "caches": "off; precompiled headers kept",
        "python": sys.version.split()[0],
    }


if __name__ == "__main__":
    serve(prepare, handle)
