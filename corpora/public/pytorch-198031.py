# A copy of the input is handed to an operator that writes the input: the copy is removed, and the operator reads what
# it has written. https://github.com/pytorch/pytorch/issues/198031
import torch

if not hasattr(torch.ops.faultline_public, "mirror_198031"):

    @torch.library.custom_op("faultline_public::mirror_198031", mutates_args=("target",))
    def mirror(source: torch.Tensor, target: torch.Tensor) -> None:
        for i in range(source.numel()):
            target[target.numel() - 1 - i] = source[i]


def f(x):
    torch.ops.faultline_public.mirror_198031(x.clone(), x)
    return x


def example_calls():
    return [(torch.arange(8.0),)]
