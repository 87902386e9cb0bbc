"""Compiles StableHLO with XLA for the CPU, one request after another in one process, by jaxlib alone.

What is called of jaxlib is private and pinned (runtime/backends/external/rows/xla.cc); all of it is in this file and is
tried out before the first request. Settings, all optional:

  flags        {"xla_disable_hlo_passes": "fusion"}: flags of XLA for this compile
  interpreter  true: the reference interpreter of StableHLO runs the program, not XLA
  hlo          true: the attestation carries the optimised HLO
"""
import functools
import json
import os
import sys
import types
from typing import Any, Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from faultline.workers.arrays import Argument, dense_array, describer, dtypes  # noqa: E402
from faultline.workers.protocol import Rejected, Request, Unavailable, serve  # noqa: E402

# Element types whose names in MLIR are others.
ELEMENTS = {"f8e4m3": "f8E4M3FN", "f8e5m2": "f8E5M2", "u8": "ui8", "bool": "i1"}
SETTINGS = {"flags", "interpreter", "hlo"}
# What XLA says of programs that it does not support; the rest is an error of its own.
REFUSALS = ("UNIMPLEMENTED", "failed to legalize operation", "unregistered operation", "not supported")


@functools.cache
def array_type(shape: tuple, dtype: Any) -> Any:
    """What jax calls an abstract value."""
    return types.SimpleNamespace(shape=shape, dtype=dtype, weak_type=False)


class Xla:
    """A client with one CPU device, and the calls that differ between releases."""

    def __init__(self) -> None:
        from jaxlib import xla_client

        self.module = xla_client
        self.client = xla_client.make_cpu_client()
        self.device = self.client.local_devices()[0]
        self.allow_wide_types()
        self.sharding = self.whole_tensor_sharding()

    def allow_wide_types(self) -> None:
        """Without this setting of jax, f64 and i64 do not reach a device."""
        from jaxlib import _jax

        keys = {"include_in_jit_key": True, "include_in_trace_context": True}
        self.wide_types = _jax.config.Config("jax_enable_x64", True, **keys)
        _jax.jax_jit.set_enable_x64_state(self.wide_types)

    def whole_tensor_sharding(self) -> Any:
        """jax adds these members in Python."""
        replicated = self.module.HloSharding.replicate()

        class WholeTensor(self.module.SingleDeviceSharding):
            memory_kind = None

            def _to_xla_hlo_sharding(self, _rank: int) -> Any:
                return replicated

        return WholeTensor(self.device)

    def compile(self, text: str, flags: dict[str, Any]) -> Any:
        options = self.module.CompileOptions()
        options.num_replicas = options.num_partitions = 1
        options.env_option_overrides = list(flags.items())
        return self.client.compile_and_load(text, [self.device], options)

    def put(self, array: Any) -> Any:
        kind = array_type(array.shape, array.dtype)
        return self.module.batched_device_put(kind, self.sharding, [array], [self.device])

    def fetch(self, result: Any) -> Any:
        return result._single_device_array_to_np_array_did_copy()[0]

    def runner(self, text: str, settings: dict, attestation: dict) -> Callable[[list, list], list]:
        executable = self.compile(text, settings.get("flags", {}))
        if settings.get("hlo"):
            attestation["hlo"] = executable.hlo_modules()[0].to_string()
        return lambda arrays, _names: executable.execute([self.put(array) for array in arrays])


class Interpreter:
    """StableHLO's own, from the same wheel: a second opinion on what the text means."""

    def __init__(self) -> None:
        from jaxlib.mlir import ir, passmanager
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        from jaxlib.mlir.dialects import chlo, func, stablehlo  # noqa: F401

        self.ir, self.stablehlo, self.passmanager = ir, stablehlo, passmanager
        self.context = ir.Context()
        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        self.context.append_dialect_registry(registry)
        self.context.load_all_available_dialects()
        stablehlo.register_dialect(self.context)
        chlo.register_dialect(self.context)
        stablehlo.register_stablehlo_passes()

    def constant(self, array: Any, name: str) -> Any:
        """By its text: a buffer is taken for another type where numpy and MLIR disagree (u8, bool, small floats)."""
        import numpy

        kind = f"tensor<{''.join(f'{size}x' for size in array.shape)}{ELEMENTS.get(name, name)}>"
        if array.size == 0:
            content = ""
        elif name == "bool":
            content = json.dumps(array.tolist())
        else:
            content = f'"0x{numpy.ascontiguousarray(array).tobytes().hex()}"'
        return self.ir.Attribute.parse(f"dense<{content}> : {kind}")

    def fetch(self, result: Any) -> Any:
        import numpy

        attribute, dtype = result
        array = numpy.array(numpy.asarray(attribute))
        shape = self.ir.RankedTensorType(attribute.type).shape
        return array.astype(dtype).reshape(shape) if dtype == numpy.bool_ else array.view(dtype).reshape(shape)

    def return_bits(self, module: Any) -> list:
        """numpy cannot read small floats from an attribute: they leave @main as integers. Returns what they were."""
        ir = self.ir
        function = module.body.operations[0]
        returned = list(function.regions[0].blocks[0].operations)[-1]
        names = {text: name for name, text in ELEMENTS.items()}
        kept = []
        for place, value in enumerate(list(returned.operands)):
            kind = ir.RankedTensorType(value.type)
            element = str(kind.element_type)
            dtype = dtypes()[names.get(element, element)]
            kept.append(dtype)
            if element.startswith(("bf", "f8")):
                with ir.InsertionPoint(returned):
                    bits = ir.RankedTensorType.get(kind.shape, ir.IntegerType.get_signless(8 * dtype.itemsize))
                    returned.operands[place] = self.stablehlo.bitcast_convert(bits, value)
        results = [value.type for value in returned.operands]
        arguments = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).inputs
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, results))
        return kept

    def runner(self, text: str, _settings: dict, _attestation: dict) -> Callable[[list, list], list]:
        with self.context, self.ir.Location.unknown():
            module = self.ir.Module.parse(text)
            lowering = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
            self.passmanager.PassManager.parse(lowering).run(module.operation)
            kept = self.return_bits(module)

        def run(arrays: list, names: list) -> list:
            with self.context, self.ir.Location.unknown():
                constants = [self.constant(array, name) for array, name in zip(arrays, names)]
                return list(zip(self.stablehlo.eval_module(module, constants), kept))

        return run


ENGINES: dict[type, Any] = {}


def engine(kind: type) -> Any:
    if kind not in ENGINES:
        ENGINES[kind] = kind()
    return ENGINES[kind]


def translated(error: Exception) -> Exception:
    text = str(error)
    if "No such compile option" in text or "unknown flag" in text.lower():
        return Unavailable(f"this XLA has not that flag: {text.splitlines()[0]}")
    if any(refusal in text for refusal in REFUSALS):
        return Rejected(text.splitlines()[0])
    return error


def handle(request: Request) -> None:
    if request.form != "stablehlo" or request.entry != "main":
        raise Unavailable(f"this worker takes no program of form '{request.form}' with entry '{request.entry}'")
    if unknown := sorted(set(request.settings) - SETTINGS):
        raise Unavailable(f"this worker has no setting '{unknown[0]}'")
    text = request.program if isinstance(request.program, str) else request.program.decode()
    chosen = engine(Interpreter if request.settings.get("interpreter") else Xla)
    describe = describer(request.storages)
    try:
        request.phase("compile")
        run = chosen.runner(text, request.settings, request.attestation)
        for call in request.calls:
            request.phase("execute")
            arrays = [dense_array(value, request.storages) for value in call]
            results = run(arrays, [value.dtype for value in call])
            request.phase("fetch")
            outputs = [chosen.fetch(result) for result in results]
            request.end_call(describe, outputs, list(map(Argument, call)), request.attributes)
    except Exception as error:
        raise translated(error) from error


SMOKE = """
module {
  func.func public @main(%arg0: tensor<2xTYPE>) -> (tensor<2xTYPE>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xTYPE>
    return %0 : tensor<2xTYPE>
  }
}
"""


def prove_private_interfaces(xla: Xla) -> bool:
    """Loud now rather than wrong later. Whether subnormals are kept."""
    import numpy

    for name in ("f64", "bf16", "f8e5m2", "i64", "u8"):
        flags = {"xla_backend_optimization_level": 0, "xla_disable_hlo_passes": "fusion"}
        executable = xla.compile(SMOKE.replace("TYPE", ELEMENTS.get(name, name)), flags)
        (result,) = executable.execute([xla.put(numpy.array([1, 3], dtypes()[name]))])
        array = xla.fetch(result)
        assert array.dtype == dtypes()[name] and array.tolist() == [2, 6], (name, array)
    try:
        xla.compile(SMOKE.replace("TYPE", "f32"), {"xla_no_such_flag": 1})
    except Exception:
        pass
    else:
        raise AssertionError("a flag that does not exist was accepted: flags do not reach XLA")
    (tiny,) = xla.compile(SMOKE.replace("TYPE", "f32"), {}).execute([xla.put(numpy.array([1e-39, 1], numpy.float32))])
    return bool(xla.fetch(tiny)[0] != 0)


def prepare() -> dict:
    try:
        import jaxlib
        import ml_dtypes  # noqa: F401
        import numpy  # noqa: F401
    except ImportError as error:
        raise Unavailable(f"jaxlib cannot be imported: {error}; type ./faultline setup xla") from None
    try:
        xla = engine(Xla)
        keeps_subnormals = prove_private_interfaces(xla)
    except (ImportError, AttributeError, TypeError, AssertionError) as error:
        text = f"jaxlib {jaxlib.__version__} has other private interfaces: {type(error).__name__}: {error}"
        raise Unavailable(text) from error
    return {
        "jaxlib": jaxlib.__version__,
        "platform": xla.client.platform_version,
        "subnormals": "kept" if keeps_subnormals else "flushed",
        "flags": os.environ.get("XLA_FLAGS", ""),
        "python": sys.version.split()[0],
    }


if __name__ == "__main__":
    serve(prepare, handle)
