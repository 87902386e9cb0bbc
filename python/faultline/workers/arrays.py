"""Tensors of requests as numpy arrays, and numpy arrays as tensors of replies, for workers without torch."""
import functools
from typing import Any

from faultline.workers.protocol import Rejected, TensorBytes, TensorView


@functools.cache
def dtypes() -> dict[str, Any]:
    import ml_dtypes
    import numpy

    names = {"f64": numpy.float64, "f32": numpy.float32, "f16": numpy.float16, "bf16": ml_dtypes.bfloat16}
    names |= {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
    names |= {"i64": numpy.int64, "i32": numpy.int32, "i16": numpy.int16, "i8": numpy.int8}
    names |= {"u8": numpy.uint8, "bool": numpy.bool_}
    return {name: numpy.dtype(kind) for name, kind in names.items()}


@functools.cache
def dtype_names() -> dict[Any, str]:
    return {dtype: name for name, dtype in dtypes().items()}


def make_array(value: Any, storages: list[memoryview]) -> Any:
    """The tensor's own memory, seen through its strides."""
    import numpy

    if not isinstance(value, TensorView):
        raise Rejected("an argument is no tensor")
    dtype = dtypes()[value.dtype]
    strides = [stride * dtype.itemsize for stride in value.strides]
    if 0 in value.sizes:
        return numpy.empty(value.sizes, dtype)
    return numpy.ndarray(value.sizes, dtype, storages[value.storage], value.offset * dtype.itemsize, strides)


def dense_array(value: Any, storages: list[memoryview]) -> Any:
    """In row-major order; a copy only where it is not."""
    import numpy

    # ascontiguousarray gives a scalar one dim.
    return numpy.ascontiguousarray(make_array(value, storages)).reshape(value.sizes)


class Argument:
    """An argument as it came, to be shown with what its memory holds now."""

    def __init__(self, view: TensorView) -> None:
        self.view = view


def describer(storages: list[memoryview]) -> Any:
    """What `Request.end_call` asks: results are arrays, each with memory of its own."""
    import numpy

    def describe(value: Any) -> TensorBytes | None:
        if isinstance(value, Argument):
            dtype, sizes, strides, offset, storage = value.view
            return TensorBytes(dtype, sizes, strides, offset, ("argument", storage), lambda: storages[storage])
        if not isinstance(value, numpy.ndarray):
            return None
        if value.dtype not in dtype_names():
            raise Rejected(f"a result of {value.dtype} came out")
        dense = numpy.ascontiguousarray(value).reshape(value.shape)
        strides = [stride // dense.itemsize for stride in dense.strides]
        content = dense.reshape(-1).view(numpy.uint8)
        return TensorBytes(dtype_names()[dense.dtype], list(dense.shape), strides, 0, id(value), lambda: content)

    return describe
