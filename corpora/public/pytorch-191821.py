# A region that is compiled once reads a global object, which is bound anew before its second use: it gave the first
# result again. https://github.com/pytorch/pytorch/issues/191821
from dataclasses import dataclass

import torch


@dataclass
class Record:
    value: torch.Tensor


current = None


@torch.compiler.nested_compile_region
def region():
    return current.value + 1


def f(x):
    global current
    current = Record(x)
    first = region()
    current = Record(first)
    return first, region()


def example_calls():
    return [(torch.zeros(1),)]
