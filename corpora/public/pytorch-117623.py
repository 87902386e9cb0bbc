# A sum along a dim into an integer `out=` tensor: eager converts each element before it adds, the decomposition adds
# in f32 and converts the sums. https://github.com/pytorch/pytorch/issues/117623
import torch


def f(x, out):
    return torch.cumsum(x, 0, out=out)


def example_calls():
    return [(torch.tensor([0.9201, 0.1166]), torch.zeros(2, dtype=torch.int32))]
