# float() of the remainder of a symbolic integer: the analysis of scalars that become tensors has no such operation.
# https://github.com/pytorch/pytorch/issues/197716
import torch


def f(x, k):
    return x * float(k % 3)


def example_calls():
    return [(torch.ones(3), 5), (torch.ones(3), 7)]
