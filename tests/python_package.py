"""faultline.check from end to end, with a compiler that generates no code: each run is a command with worker processes
of its own. What is compared, in detail: tests/python_files.py."""
import os
import subprocess
import sys
import tempfile
import unittest

import torch

import faultline
from faultline import carry, checking, command

total = []


def twice(x):
    total.append(x.shape[0])
    return {"twice": x * 2}


def wrong_when_compiled(x):
    y = x.clone()
    if torch.compiler.is_compiling():
        y[-1] = 0
    return y


def raises(x):
    raise ValueError("always")


def raises_uncompiled(x):
    if not torch.compiler.is_compiling():
        raise ValueError("only then")
    return x


class Check(unittest.TestCase):
    def test_a_closure_over_state_passes(self):
        scale = torch.nn.Parameter(torch.tensor(2.0))
        seen = []

        def local(x, *, shift):
            seen.append(shift)
            x["in"].add_(shift)
            return (x["in"] * scale, twice(x["in"]))

        calls = [faultline.Call({"in": torch.ones(3)}, shift=1), faultline.Call({"in": torch.ones(4)}, shift=2)]
        verdict = faultline.check(local, backend="dynamo", calls=calls)
        self.assertEqual(verdict.outcome, "pass", verdict.text)
        self.assertTrue(verdict)
        # Both calls: y[0], y[1]['twice'], and the gradient of scale.
        self.assertEqual(verdict.coverage["tensors"], 2 * 3, verdict.coverage)
        self.assertEqual((seen, total), ([], []), "it ran in this process")
        self.assertFalse(os.path.exists(verdict.case_line.partition("py:")[2].partition("::")[0]))

    def test_a_wrong_value_is_found_kept_and_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "case.py")
            verdict = faultline.check(wrong_when_compiled, torch.arange(1.0, 66.0), backend="dynamo", keep=file)
            self.assertEqual(verdict.outcome, "wrong_value", verdict.text)
            self.assertFalse(verdict)
            (tensor,) = verdict.tensors
            self.assertEqual((tensor["name"], tensor["wrong"], tensor["total"]), ("y", 1, 65))
            self.assertEqual(verdict.layer, "capture", verdict.text)
            self.assertIn("[64]", str(verdict))
            self.assertIn("wrong_value", repr(verdict))
            with self.assertRaisesRegex(AttributeError, "no 'outcom'"):
                verdict.outcom
            again = command.run(["replay", verdict.case_line, "--json"])
            self.assertIn('"outcome":"wrong_value"', again.stdout)

    def test_errors_are_compared(self):
        verdict = faultline.check(raises, torch.ones(2), backend="dynamo")
        self.assertEqual(verdict.outcome, "pass", verdict.text)
        with self.assertRaisesRegex(AssertionError, "raises_uncompiled: (?s:.*)ValueError"):
            faultline.assert_matches_eager(raises_uncompiled, torch.ones(2), backend="dynamo")

    def test_what_the_command_refuses_is_an_error(self):
        with self.assertRaisesRegex(faultline.CommandError, "unknown backend 'dynamoo', did you mean 'dynamo'"):
            faultline.check(twice, torch.ones(2), backend="dynamoo")
        with self.assertRaisesRegex(TypeError, "calls= is empty"):
            faultline.check(twice, calls=[])


class Files(unittest.TestCase):
    def test_a_function_of_a_module_comes_from_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "some_model.py")
            with open(path, "w") as file:
                file.write("runs = []\ndef f(x):\n    runs.append(1)\n    return x + len(runs)\n")
            sys.path.insert(0, folder)
            self.addCleanup(sys.path.remove, folder)
            import some_model

            some_model.f(1)
            source = checking.source_of(some_model.f, [checking.Call(torch.ones(1))])
            self.assertIn(f"executed_anew('some_model', {os.path.realpath(path)!r})", source)
            namespace: dict = {"__name__": "somewhere"}
            exec(source, namespace)
            self.assertEqual(namespace["entry"](*namespace["example_calls"]()[0].args).tolist(), [2.0])
            self.assertIsNone(checking.place_of(torch.nn.functional.softmax))
            self.assertIsNone(checking.place_of(twice), "what __main__ defines is carried as it is")

    def test_what_torch_compile_gave_is_checked_by_what_it_got(self):
        self.assertIs(checking.uncompiled(torch.compile(twice)), twice)
        module = torch.nn.Linear(1, 1)
        self.assertIs(checking.uncompiled(torch.compile(module)), module)

    def test_importing_the_package_does_not_import_torch(self):
        program = "import sys, faultline; faultline.check; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)

    def test_another_python_is_told(self):
        with self.assertRaisesRegex(RuntimeError, "of Python 2.7"):
            carry.restored(carry.carried({}), "2.7")


if __name__ == "__main__":
    unittest.main()
