# An object whose class is local to the enclosing function is made inside the compiled one, and its method writes to a
# list and a dict of the enclosing function: what it wrote is lost. Right if the object is made outside.
# https://github.com/pytorch/pytorch/issues/197896
import torch


def make():
    state, table = [], {}

    class Toucher:
        def touch(self):
            state.append(1)
            table[len(state)] = 1

    def compute(x):
        Toucher().touch()
        return x + 1

    return compute, state, table


f, state, table = make()


def example_calls():
    return [(torch.ones(2),) for _ in range(3)]
