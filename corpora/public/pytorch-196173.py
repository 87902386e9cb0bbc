# A branch on whether two attributes are the same object, one of which is bound to another object between two calls.
# Bare objects alone: only their type is guarded. https://github.com/pytorch/pytorch/issues/196173
import torch


class Holder:
    def __init__(self):
        self.left, self.right = object(), object()
        self.current = None


holder = Holder()
sides = ["left", "right"]
counter = [0]


@torch.compiler.disable
def turn():
    holder.current = getattr(holder, sides.pop(0))


def f(x):
    turn()
    if holder.current is holder.left:
        return x + 1
    counter[0] += 1
    return x - 1


def example_calls():
    return [(torch.zeros(1),), (torch.zeros(1),)]
