# float() of a truth value about a symbolic size. https://github.com/pytorch/pytorch/issues/197810
import torch


def f(x):
    return x + float(x.shape[0] % 2 == 0)


def example_calls():
    return [(torch.zeros(6, 3),), (torch.zeros(7, 3),)]
