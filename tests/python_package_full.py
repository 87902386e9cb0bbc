"""faultline.check with Inductor: programs that only Python can say, none of which may be accused; and one wrong write
that must be."""
import collections
import dataclasses
import unittest

import torch

import faultline

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass
class Box:
    value: torch.Tensor
    count: int


class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.register_buffer("total", torch.zeros(4))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        self.total.add_(x.sum(0))
        return torch.tanh(self.linear(x)) * self.calls


def containers(pair, *, box):
    box.value.mul_(2)
    return Pair(pair.left + box.count, [pair.right, box]), {"n": pair.left.shape[0]}


def generator(x):
    for i in range(3):
        yield x + i


def drops_out(x):
    return torch.nn.functional.dropout(x, 0.5)


def wrong_when_compiled(x):
    y = x * 2
    if torch.compiler.is_compiling():
        x.add_(1)
    return y


class Inductor(unittest.TestCase):
    def test_modules_with_state_over_calls(self):
        torch.manual_seed(1)
        verdict = faultline.check(Counting(), calls=[torch.randn(2, 4), torch.randn(3, 4)])
        self.assertEqual(verdict.outcome, "pass", verdict.text)

    def test_containers_and_aliases(self):
        x = torch.arange(6.0)
        verdict = faultline.check(containers, Pair(x[:4], x.view(2, 3).t()), kwargs={"box": Box(x[2:], 3)})
        self.assertEqual(verdict.outcome, "pass", verdict.text)

    def test_generators_and_gradients_of_computed_inputs(self):
        verdict = faultline.check(lambda x: [y * y for y in generator(x)], torch.ones(3, requires_grad=True) * 2)
        self.assertEqual(verdict.outcome, "pass", verdict.text)

    def test_a_write_that_eager_does_not_make(self):
        verdict = faultline.check(wrong_when_compiled, torch.ones(5))
        self.assertEqual(verdict.outcome, "lost_mutation", verdict.text)
        self.assertEqual([tensor["name"] for tensor in verdict.tensors], ["x[0]"])

    def test_random_numbers_are_drawn_by_both(self):
        verdict = faultline.check(drops_out, torch.ones(8))
        self.assertEqual([line for line in verdict.evidence if "random numbers" in line], [])


if __name__ == "__main__":
    unittest.main()
