# A layer that learns its size from its first input, a random matrix, and the place of the largest: another index came
# out. What differed is the stream of random numbers, from which such a layer draws its weights when it is first called;
# here it has drawn them before. https://github.com/pytorch/pytorch/issues/151525
import torch


class Places(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.grow = torch.nn.LazyConvTranspose2d(8, 3, stride=2)

    def forward(self, x):
        h = self.grow(x).flatten(1)
        return torch.nn.functional.linear(h, torch.randn(64, h.shape[1])).argmax(dim=1)


f = Places()
f(torch.zeros(1, 3, 16, 16))
f.requires_grad_(False)


def example_calls():
    return [(torch.linspace(-1, 1, 768).reshape(1, 3, 16, 16),)]
