# != between an instance of a tuple's subclass and another one with equal elements was decided by identity.
# https://github.com/pytorch/pytorch/issues/172666
import torch


class Pair(tuple):
    pass


KNOWN = Pair([1, -1])
equal = Pair([1, -1])


def f(x):
    if equal != KNOWN:
        return x + 1
    return x - 1


def example_calls():
    return [(torch.zeros(1),)]
