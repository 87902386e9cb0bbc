# A shifted window (padding, roll, attention within each window, a mask between the regions that the roll brought
# together): the C++ of a masked part declared a scalar where it used a vector, and did not compile. This is one small
# block; the report has a whole network. https://github.com/pytorch/pytorch/issues/179135
import torch
from torch.nn import functional

WINDOW, SHIFT, WIDTH, SIDE = 4, 2, 16, 6
PADDED = SIDE + -SIDE % WINDOW


def windows(t):
    n = PADDED // WINDOW
    t = t.reshape(t.shape[0], n, WINDOW, n, WINDOW, t.shape[-1])
    return t.transpose(2, 3).reshape(-1, WINDOW * WINDOW, t.shape[-1])


def region_mask(x):
    marks = x.new_zeros(1, PADDED, PADDED, 1)
    marks[:, -SHIFT:, :] = 2
    marks[:, :, -SHIFT:] += 1
    mark = windows(marks).squeeze(-1)
    apart = mark[:, None, :] - mark[:, :, None]
    return apart.masked_fill(apart != 0, -100.0).masked_fill(apart == 0, 0.0)


def f(x, weight):
    padding = PADDED - SIDE
    h = torch.roll(functional.pad(x, (0, 0, 0, padding, 0, padding)), (-SHIFT, -SHIFT), (1, 2))
    h = windows(h)
    scores = (h @ weight) @ h.transpose(-2, -1)
    h = (scores + region_mask(x)).softmax(-1) @ h
    n = PADDED // WINDOW
    h = h.view(1, n, n, WINDOW, WINDOW, WIDTH).transpose(2, 3).reshape(1, PADDED, PADDED, WIDTH)
    return x + torch.roll(h, (SHIFT, SHIFT), (1, 2))[:, :SIDE, :SIDE]


def example_calls():
    return [(torch.randn(1, SIDE, SIDE, WIDTH), torch.randn(WIDTH, WIDTH))]
