# A batched function whose body takes a Jacobian and hands an auxiliary result through: the result had another shape.
# https://github.com/pytorch/pytorch/issues/154036
import torch


def slope(x):
    jacobian, _ = torch.func.jacrev(lambda t: (t, t), has_aux=True)(x)
    return jacobian


def f(x):
    return torch.vmap(slope)(x)


def example_calls():
    return [(torch.linspace(-2, 2, 128, dtype=torch.float64),)]
