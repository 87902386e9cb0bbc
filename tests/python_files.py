"""What is compared of a Python file, without a worker's process: the file runs in this one, as it stands and under
torch.compile, and what each left is looked at by name. Files tell the two apart by torch.compiler.is_compiling(): a
compiler with exactly one defect."""
import textwrap
import unittest

import torch

from faultline.workers import python_files

COMPILING = "torch.compiler.is_compiling()"


class Recorded:
    """Stands for a request of the wire."""

    def __init__(self, program: str, settings: dict) -> None:
        self.program = "import torch\nimport dataclasses\nimport random\n" + textwrap.dedent(program)
        self.entry = "f"
        self.settings = settings
        self.calls: list[dict] = []

    def phase(self, name: str) -> None:
        pass

    def end_call(self, describe, outputs, inputs, attributes) -> None:
        self.calls.append({name: v.clone() if isinstance(v, torch.Tensor) else v for name, v in attributes})


def run(program: str, is_compiled: bool = False, **settings) -> list[dict]:
    torch._dynamo.reset()
    request = Recorded(program, settings)
    way = (lambda _, entry: torch.compile(entry, backend="eager")) if is_compiled else (lambda _, entry: entry)
    with torch.no_grad():  # as the worker does
        python_files.run_file(request, way, None)
    return request.calls


def same(left, right) -> bool:
    if isinstance(left, torch.Tensor):
        return isinstance(right, torch.Tensor) and torch.equal(left, right)
    return left == right


def differences(program: str, **settings) -> list[str]:
    """Names of what eager leaves and the compiled program leaves otherwise, and of what only one of them leaves."""
    found = []
    for eager, compiled in zip(run(program, **settings), run(program, is_compiled=True, **settings), strict=True):
        found += [name for name in {**eager, **compiled} if not same(eager.get(name), compiled.get(name))]
    return found


class WhatIsLeft(unittest.TestCase):
    def test_containers_by_path(self):
        (left,) = run("""
            @dataclasses.dataclass(frozen=True)
            class Pair:
                left: torch.Tensor
                right: list
            def f(pair, *, scale, names):
                pair.right[0].mul_(scale)
                return {"sum": pair.left + 1, "pair": Pair(pair.left, [scale])}, (n for n in names)
            class Both:
                args = (Pair(torch.ones(2), [torch.ones(2)]),)
                kwargs = {"scale": 3.0, "names": ["a"]}
            def example_calls(): return [Both()]
            """)
        self.assertEqual(left["output y[0]['sum']"].tolist(), [2, 2])
        self.assertEqual(left["output y[0]['pair'].left"].tolist(), [1, 1])
        self.assertEqual(left["output y[0]['pair'].right[0]"], 3.0)
        self.assertEqual(left["input x[0].right[0]"].tolist(), [3, 3])
        self.assertEqual(left["input scale"], 3.0)
        self.assertEqual(left["state input names[0]"], "'a'")
        self.assertEqual(left["state output structure"], "tuple([0] dict(['sum'] tensor, ['pair'] Pair(left x[0].left, "
                         "right list([0] float))), [1] generator)")

    def test_gradients_of_leaves_of_computed_inputs_and_through_writes(self):
        (left,) = run("""
            def f(x, y, z):
                z.add_(x * y)
                return x * x
            x = torch.tensor([3.0], requires_grad=True)
            def example_calls(): return [(x, x * 2, torch.zeros(1))]
            """)
        # y = 2 x is an input by itself: d/dy = x, d/dx = 2 x + y + 2 d/dy.
        self.assertEqual(left["gradient x[1]"].tolist(), [3.0])
        self.assertEqual(left["gradient x[0]"].tolist(), [18.0])
        self.assertEqual(left["input x[2]"].tolist(), [18.0])

    def test_wide_runs_keep_what_shares_memory(self):
        (left,) = run("""
            def f(pair):
                pair["a"].mul_(2)
                return pair["b"] + bias
            x = torch.arange(4, dtype=torch.float16)
            bias = torch.ones(2, dtype=torch.float16)
            def example_calls(): return [({"a": x[1:3], "b": x[2:]},)]
            """, wide=True)
        self.assertEqual(left["output y"].tolist(), [5, 4])
        self.assertEqual(left["output y"].dtype, torch.float64)
        self.assertEqual(left["input x[0]['b']"].tolist(), [4, 3])


class WhatDiffers(unittest.TestCase):
    def only(self, name: str, program: str, **settings) -> None:
        self.assertEqual(differences(program.replace("COMPILING", COMPILING), **settings), [name])
        self.assertEqual(differences(program.replace("COMPILING", "False"), **settings), [])

    def test_values(self):
        self.only("output y[1].k", """
            class Box: pass
            def f(x):
                box = Box()
                box.k = x * (3 if COMPILING else 2)
                return x + 1, box
            example_inputs = (torch.ones(2),)
            """)

    def test_gradients(self):
        self.only("gradient x[0]", """
            def f(x): return x + (x - x.detach()) * (1 if COMPILING else 0)
            example_inputs = (torch.ones(2),)
            """, grad=True)

    def test_writes_to_inputs(self):
        self.only("input x[0]['k']", """
            def f(d):
                if not COMPILING: d["k"].add_(1)
                return d["k"] * 0
            def example_inputs(): return ({"k": torch.ones(2)},)
            """)

    def test_identity(self):
        self.only("state output structure", """
            def f(x): return x.view_as(x) if COMPILING else x
            example_inputs = (torch.ones(2),)
            """)

    def test_whether_gradients_are_required(self):
        self.only("state output structure", """
            def f(x, y): return x * 2, (y * 2).requires_grad_(not COMPILING)
            example_inputs = (torch.ones(2), torch.ones(2))
            """)

    def test_globals_of_python(self):
        self.only("state global table", """
            table = []
            def f(x):
                if not COMPILING: table.append(1)
                return x + 1
            example_inputs = (torch.ones(2),)
            """)

    def test_closures(self):
        self.only("state closure count", """
            def make():
                count = 0
                def f(x):
                    nonlocal count
                    count += 2 if COMPILING else 1
                    return x + 1
                return f
            f = make()
            example_inputs = (torch.ones(2),)
            """)

    def test_tensors_that_python_keeps(self):
        self.only("attribute global total", """
            total = torch.zeros(2)
            def f(x):
                if not COMPILING: total.add_(x)
                return x + 1
            example_inputs = (torch.ones(2),)
            """)
        self.only("gradient closure w", """
            def make(w):
                def f(x): return x + (w - w.detach()) * (1 if COMPILING else 2)
                return f
            f = make(torch.ones(2, requires_grad=True))
            example_inputs = (torch.ones(2),)
            """)

    def test_settings_of_torch(self):
        self.only("state torch gradients", """
            def f(x):
                torch._C._set_grad_enabled(COMPILING)
                return x + 1
            example_inputs = (torch.ones(2),)
            """)
        self.assertTrue(torch.is_grad_enabled())

    def test_random_numbers_where_eager_draws_none(self):
        self.only("state random numbers of torch", """
            def f(x):
                if COMPILING: torch.rand(1)
                return x + 1
            example_inputs = (torch.ones(2),)
            """)


if __name__ == "__main__":
    unittest.main()
