# The gradient is taken inside the compiled function and goes through a write to one column: a buffer was read before
# all of it was filled. https://github.com/pytorch/pytorch/issues/136662
import torch


def total(x):
    y = x.clone()
    y[:, 0] += x[:, 2].abs()
    return y.sum()


def f(x):
    return torch.func.grad(total)(x)


def example_calls():
    x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -3.0]])
    return [(x.clone(),) for _ in range(3)]
