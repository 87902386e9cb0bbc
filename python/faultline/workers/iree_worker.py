"""Compiles StableHLO with IREE for the CPU and runs it, one request after another in one process.

Compiler and runtime are called through their Python packages (iree-base-compiler, iree-base-runtime). Settings, all
optional:

  backend       "llvm-cpu" (the default) or "vmvx"
  flags         ["--iree-opt-level=O0"]: further flags of iree-compile
  vector_bytes  8, 16, 32, 64: width of LLVM's vectors
"""
import contextlib
import os
import sys
import tempfile
from typing import Any, Callable, Iterator

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from faultline.workers.arrays import Argument, dense_array, describer, dtypes  # noqa: E402
from faultline.workers.protocol import Rejected, Request, Unavailable, serve  # noqa: E402

SETTINGS = {"backend", "flags", "vector_bytes"}
REFUSALS = ("failed to legalize", "unsupported", "not supported", "unhandled", "not implemented", "UNIMPLEMENTED")
ELEMENTS = {"f64": "FLOAT_64", "f32": "FLOAT_32", "f16": "FLOAT_16", "bf16": "BFLOAT_16", "f8e4m3": "FLOAT_8_E4M3_FN"}
ELEMENTS |= {"f8e5m2": "FLOAT_8_E5M2", "i64": "INT_64", "i32": "INT_32", "i16": "INT_16", "i8": "INT_8", "u8": "INT_8"}
ELEMENTS |= {"bool": "BOOL_8"}
TYPES = {"f8E4M3FN": "f8e4m3", "f8E5M2": "f8e5m2", "ui8": "u8", "i1": "bool"}


@contextlib.contextmanager
def captured_stderr(said: list[str]) -> Iterator[None]:
    """Appends what C++ writes there, and passes it on at the end."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            content = file.read()
            os.write(2, content[-4096:])
            said.append(content.decode(errors="replace"))


def refusal(text: str) -> Exception:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.split("error: ", 1)[1] for line in lines if "error: " in line]
    first = errors[0] if errors else lines[0] if lines else "iree-compile failed without a word"
    return Rejected(first) if any(refused in text for refused in REFUSALS) else RuntimeError(first)


def flags_of(settings: dict) -> list[str]:
    if unknown := sorted(set(settings) - SETTINGS):
        raise Unavailable(f"this worker has no setting '{unknown[0]}'")
    backend = settings.get("backend", "llvm-cpu")
    flags = ["--iree-input-type=stablehlo", "--iree-hal-target-device=local", "--iree-input-demote-f64-to-f32=false"]
    flags.append(f"--iree-hal-local-target-device-backends={backend}")
    if backend == "llvm-cpu":
        flags.append("--iree-llvmcpu-target-cpu=host")
        if "vector_bytes" in settings:
            flags.append(f"--iree-llvmcpu-target-vector-width-in-bytes={settings['vector_bytes']}")
    return flags + settings.get("flags", [])


def compiled(text: str, settings: dict) -> bytes:
    from iree.compiler import api

    session = api.Session()
    flags = flags_of(settings)
    try:
        session.set_flags(*flags)
    except ValueError as error:
        raise Unavailable(f"this IREE has not these flags: {error}") from None
    said: list[str] = []
    with captured_stderr(said):
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        source = api.Source.wrap_buffer(session, text.encode() + b"\0")
        done = invocation.parse_source(source) and invocation.execute()
    if not done:
        raise refusal(said[0])
    output = api.Output.open_membuffer()
    invocation.output_vm_bytecode(output)
    return bytes(output.map_memory())


def result_types(text: str) -> list[tuple[str, list[int]]]:
    """Types and sizes of what @main returns, from its signature: buffers come back as bytes."""
    signature = next(line for line in text.splitlines() if "func.func" in line)
    results = signature.split("->", 1)[1]
    found = []
    for part in results.split("tensor<")[1:]:
        *sizes, element = part.split(">", 1)[0].split("x")
        found.append((TYPES.get(element, element), [int(size) for size in sizes]))
    return found


class Runtime:
    def __init__(self) -> None:
        from iree import runtime

        self.module = runtime
        self.instance = runtime.VmInstance()
        self.device = runtime.get_device("local-sync")

    def buffer(self, array: Any, dtype: str) -> Any:
        import numpy

        kinds = self.module.BufferUsage
        carrier = array.view(numpy.dtype(f"u{array.dtype.itemsize}"))
        return self.device.allocator.allocate_buffer_copy(
            memory_type=self.module.MemoryType.DEVICE_LOCAL,
            allowed_usage=kinds.DEFAULT | kinds.MAPPING,
            device=self.device,
            buffer=carrier,
            element_type=getattr(self.module.HalElementType, ELEMENTS[dtype]),
        )

    def runner(self, program: bytes, results: list) -> Callable[[list, list], list]:
        module = self.module.VmModule.copy_buffer(self.instance, program)
        machine = self.module.create_hal_module(self.instance, self.device)
        context = self.module.VmContext(self.instance, [machine, module])
        function = module.lookup_function("main")

        def run(arrays: list, names: list) -> list:
            arguments = self.module.VmVariantList(len(arrays))
            for array, name in zip(arrays, names):
                arguments.push_ref(self.buffer(array, name))
            returned = self.module.VmVariantList(len(results))
            context.invoke(function, arguments, returned)
            return [self.fetched(returned, place, *kind) for place, kind in enumerate(results)]

        return run

    def fetched(self, returned: Any, place: int, name: str, sizes: list[int]) -> Any:
        import numpy

        view = returned.get_as_object(place, self.module.HalBufferView)
        if list(view.shape) != sizes:
            raise RuntimeError(f"result {place} has the sizes {view.shape}, its type has {sizes}")
        if 0 in sizes:
            return numpy.empty(sizes, dtypes()[name])
        carrier = numpy.dtype(f"u{dtypes()[name].itemsize}")
        mapped = view.map().asarray(sizes, carrier)
        return numpy.array(mapped).reshape(sizes).view(dtypes()[name])


RUNTIMES: list[Runtime] = []


def handle(request: Request) -> None:
    if request.form != "stablehlo" or request.entry != "main":
        raise Unavailable(f"this worker takes no program of form '{request.form}' with entry '{request.entry}'")
    text = request.program if isinstance(request.program, str) else request.program.decode()
    describe = describer(request.storages)
    request.phase("compile")
    program = compiled(text, request.settings)
    request.attestation["program_bytes"] = len(program)
    run = RUNTIMES[0].runner(program, result_types(text))
    for call in request.calls:
        request.phase("execute")
        arrays = [dense_array(value, request.storages) for value in call]
        results = run(arrays, [value.dtype for value in call])
        request.phase("fetch")
        request.end_call(describe, results, list(map(Argument, call)), request.attributes)


SMOKE = """
module {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def prepare() -> dict:
    try:
        import iree.compiler.version as version
        import ml_dtypes  # noqa: F401
        import numpy
        from iree import runtime  # noqa: F401
    except ImportError as error:
        raise Unavailable(f"IREE cannot be imported: {error}; type ./faultline setup iree") from None
    RUNTIMES.append(Runtime())
    try:
        run = RUNTIMES[0].runner(compiled(SMOKE, {"backend": "vmvx"}), result_types(SMOKE))
        (result,) = run([numpy.array([1, 3], dtypes()["f32"])], ["f32"])
        assert result.tolist() == [2, 6], result
    except (AttributeError, TypeError, AssertionError) as error:
        raise Unavailable(f"this IREE has other interfaces: {type(error).__name__}: {error}") from error
    return {"iree": version.VERSION, "device": "local-sync", "python": sys.version.split()[0]}


if __name__ == "__main__":
    serve(prepare, handle)
