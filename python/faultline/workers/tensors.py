"""Tensors of torch and of the wire, each made from the other."""
import ctypes
import functools
from typing import Any

from faultline.workers.protocol import Rejected, TensorBytes, TensorView


@functools.cache
def dtypes() -> dict[str, Any]:
    import torch

    names = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"}
    names |= {"f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}
    names |= {"i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "bool": "bool"}
    return {name: getattr(torch, attribute) for name, attribute in names.items()}


@functools.cache
def dtype_names() -> dict[Any, str]:
    return {dtype: name for name, dtype in dtypes().items()}


def make_storage(content: memoryview) -> Any:
    """A storage of torch's own, aligned as torch aligns them."""
    import torch

    storage = torch.UntypedStorage(len(content))
    if len(content):
        bytes_of(storage, len(content))[:] = content
    return storage


def bytes_of(storage: Any, size: int) -> memoryview:
    return memoryview((ctypes.c_char * size).from_address(storage.data_ptr())).cast("B")


def make_value(value: Any, storages: list) -> Any:
    import torch

    if isinstance(value, list):
        return [make_value(element, storages) for element in value]
    if not isinstance(value, TensorView):
        return value
    tensor = torch.empty(0, dtype=dtypes()[value.dtype])
    return tensor.set_(storages[value.storage], value.offset, value.sizes, value.strides)


def describe(value: Any) -> TensorBytes | None:
    """Storages are told apart by their address, so that memory which two of them share shows."""
    import torch

    if not isinstance(value, torch.Tensor):
        return None
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        raise TypeError(f"a {type(value).__name__} came out")
    if value.layout != torch.strided or value.device.type != "cpu" or value.dtype not in dtype_names():
        raise Rejected(f"a tensor of {value.dtype}, {value.layout}, on {value.device} came out")
    storage = value.untyped_storage()
    size = storage.nbytes()
    return TensorBytes(
        dtype=dtype_names()[value.dtype],
        sizes=list(value.size()),
        strides=list(value.stride()),
        offset=value.storage_offset(),
        key=storage.data_ptr() if size else ("empty", storage._cdata),
        content=lambda: bytes_of(storage, size) if size else b"",
    )
