"""Values that go to another process: each is restored in another interpreter, which says what it has become."""
import collections
import dataclasses
import functools
import json
import subprocess
import sys
import unittest

import torch
import torch.nn.functional as F

from faultline import carry

offset = 3
history = []


def helper(x):
    history.append(x)
    return x + offset


def uses_globals(x):
    return helper(x) * 2, len(history)


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: list = dataclasses.field(default_factory=list)

    def sum(self):
        return self.x + sum(self.y)


Pair = collections.namedtuple("Pair", "left right")


class Base(torch.nn.Module):
    calls = 0

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([2.0]))

    def forward(self, x):
        type(self).calls += 1
        return x * self.scale


class Derived(Base):
    def forward(self, x):
        return super().forward(x) + 1


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 7 * gradient


def counter():
    count = 0

    def step():
        nonlocal count
        count += 1
        return count

    def read():
        return count

    return step, read


def recursive():
    def factorial(n):
        return 1 if n == 0 else n * factorial(n - 1)

    return factorial


OTHER = """
import json, sys
sys.path[:0] = json.loads(sys.stdin.readline())
import torch
from faultline import carry
for line in sys.stdin:
    text, python, expression = json.loads(line)
    v = carry.restored(text, python)["v"]
    print(json.dumps(repr(eval(expression, {"v": v, "torch": torch}))), flush=True)
"""


@functools.cache
def other() -> subprocess.Popen:
    """One interpreter for all: torch takes seconds to import."""
    process = subprocess.Popen([sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(json.dumps(sys.path) + "\n")
    return process


def elsewhere(value, expression: str) -> str:
    """What the expression on `v` is in another interpreter, after the value went there."""
    process = other()
    process.stdin.write(json.dumps([carry.carried({"v": value}), carry.PYTHON, expression]) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def tearDownModule():
    with other() as process:
        process.stdin.close()


class Carry(unittest.TestCase):
    def test_functions_take_along_what_they_use(self):
        self.assertEqual(elsewhere(uses_globals, "v(1), v(1)"), "((8, 1), (8, 2))")
        self.assertEqual(history, [])
        self.assertEqual(elsewhere(recursive(), "v(5)"), "120")
        self.assertEqual(elsewhere(lambda x, k=4: F.relu(x) * k, "v(torch.tensor([-1., 2.])).tolist()"), "[0.0, 8.0]")
        self.assertEqual(elsewhere(functools.partial(helper, 5), "v()"), "8")

    def test_closures_share_their_cells(self):
        self.assertEqual(elsewhere(counter(), "v[0](), v[0](), v[1]()"), "(1, 2, 2)")

    def test_classes(self):
        self.assertEqual(elsewhere(Point(1, [2, 3]), "v.sum(), v == type(v)(1, [2, 3]), v.y"), "(6, True, [2, 3])")
        self.assertEqual(elsewhere(Pair(1, right=2), "v.right, v._replace(left=5)[0]"), "(2, 5)")
        self.assertEqual(elsewhere(Derived(), "v(torch.ones(1)).tolist(), type(v).calls, type(v).__mro__[1].calls"),
                         "([3.0], 1, 0)")
        backward = "(lambda x: (v(x).sum().backward(), x.grad.tolist())[1])(torch.tensor([3.], requires_grad=True))"
        self.assertEqual(elsewhere(Square.apply, backward), "[7.0]")

    def test_tensors_keep_strides_and_who_shares_memory(self):
        x = torch.arange(12.0).reshape(3, 4)
        value = [x, x.t(), x[1:, ::2], torch.nn.Parameter(torch.ones(2)), torch.tensor(3, dtype=torch.int8)]
        shown = "[(t.tolist(), t.stride(), t.storage_offset()) for t in v] == expected"
        expected = [(t.tolist(), t.stride(), t.storage_offset()) for t in value]
        self.assertEqual(elsewhere(value, shown.replace("expected", repr(expected))), "True")
        written = "v[0].mul_(2) is v[0] and (v[1][1, 0].item(), v[2][0, 0].item())"
        self.assertEqual(elsewhere(value, written), "(2.0, 8.0)")
        self.assertEqual(elsewhere(value, "type(v[3]).__name__, v[3].requires_grad, v[0].requires_grad"),
                         "('Parameter', True, False)")
        computed = torch.ones(2, requires_grad=True) * 2
        self.assertEqual(elsewhere(computed, "v.requires_grad, v.is_leaf, v.tolist()"), "(True, False, [2.0, 2.0])")
        special = torch.tensor([0x7FC01234, 1], dtype=torch.int32).view(torch.float32)
        self.assertEqual(elsewhere(special, "[hex(i) for i in v.view(torch.int32).tolist()]"), "['0x7fc01234', '0x1']")

    def test_what_cannot_be_carried_is_named(self):
        log = open("/dev/null")
        self.addCleanup(log.close)

        def inner(x):
            return x, log

        def outer(x):
            return inner(x)

        with self.assertRaisesRegex(carry.CannotCarry, "'log' of inner .TextIOWrapper.*cannot pickle"):
            carry.carried({"the callable": outer})
        with self.assertRaisesRegex(carry.CannotCarry, r"call 1\[0\]\['k'\] .Tensor.*on meta"):
            carry.carried({"call 1": [{"k": torch.ones(2, device="meta")}]})


if __name__ == "__main__":
    unittest.main()
