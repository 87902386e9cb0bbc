# Compiled for two inputs of their own, then called with two that overlap: nothing guards that they do not, and the
# write through one is not seen through the other. https://github.com/pytorch/pytorch/issues/139789
import torch


def f(x, y):
    x.mul_(2)
    return x + y


def example_calls():
    shared = torch.ones(8)
    return [(torch.ones(4), torch.ones(4)), (shared[:4], shared[2:6])]
