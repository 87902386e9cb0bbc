# forward appends to a list that belongs to the class: the appended items were lost.
# https://github.com/pytorch/pytorch/issues/169253
import torch


class Log(torch.nn.Module):
    items = []

    def forward(self, x):
        Log.items.append(x)
        return x + 1


f = Log()
items = Log.items


def example_calls():
    return [(torch.zeros(2),), (torch.ones(2),)]
