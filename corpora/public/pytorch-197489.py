# The copy of a view that starts behind its storage's start is removed, in front of an operator that reads where its
# input starts. https://github.com/pytorch/pytorch/issues/197489
import torch

if not hasattr(torch.ops.faultline_public, "offset_197489"):

    @torch.library.custom_op("faultline_public::offset_197489", mutates_args=())
    def offset(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(x.storage_offset())

    @offset.register_fake
    def _(x):
        return torch.empty((), dtype=torch.int64)


def f(x):
    return torch.ops.faultline_public.offset_197489(x[1:].clone())


def example_calls():
    return [(torch.arange(8.0),)]
