# A sum in a region of inference mode was moved out of it, so that its result required a gradient. The option that moved
# it, canonicalize_output_graph_node_order, is not in torch 2.13. https://github.com/pytorch/pytorch/issues/195418
import torch


def f(x):
    with torch.inference_mode():
        return x + 1


def example_calls():
    return [(torch.tensor(1.0, requires_grad=True),)]
