# An attribute of a class is read as a constant and has another value at the second call.
# https://github.com/pytorch/pytorch/issues/176851
import torch


class Settings:
    factor = 1.0


FACTORS = [1.0, 10.0]


@torch.compiler.disable
def next_factor():
    Settings.factor = FACTORS.pop(0)


def f(x):
    next_factor()
    return x * Settings.factor


def example_calls():
    return [(torch.full((1,), 4.0),), (torch.full((1,), 4.0),)]
