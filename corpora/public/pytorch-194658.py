# A checkpointed body calls a helper that is taken into the graph as it is and that reads a global. The key of the cache
# on disk names the helper, but not the number it read: a graph that is compiled again gets the old one back. The report
# has two processes; here the second call compiles anew for its other flag, in one. Needs the cache of AOTAutograd.
# https://github.com/pytorch/pytorch/issues/194658
import torch
from torch.utils.checkpoint import checkpoint

SCALE = [2.0]


@torch.compiler.disable
def set_scale(first):
    SCALE[0] = 2.0 if first else 5.0


def helper(x):
    return x * SCALE[0]


torch._dynamo.allow_in_graph(helper)


def body(x):
    return helper(x.sin())


def f(x, first):
    set_scale(first)
    if first:
        return checkpoint(body, x, use_reentrant=False)
    return checkpoint(body, x, use_reentrant=False)


def example_calls():
    return [(torch.ones(2, requires_grad=True), True), (torch.ones(2, requires_grad=True), False)]
