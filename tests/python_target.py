"""Graphs of torch.compile on a modelled target. Numbers are small integers, on which every sum and product is exact."""
import os
import signal
import unittest

import torch

import faultline
from faultline import graph_text, server


def compiled(function, **named):
    torch._dynamo.reset()
    named.setdefault("options", {"cores": 1})
    back = faultline.backend("spyre", **named)
    return torch.compile(function, backend=back), back


def small(*sizes, dtype=torch.float16):
    count = torch.Size(sizes).numel()
    return (torch.arange(count) % 7 - 3).reshape(sizes).to(dtype)


class Target(unittest.TestCase):
    def test_the_worked_example_gives_its_wrong_last_element(self):
        x = torch.arange(65).to(torch.float16)
        clean, back = compiled(torch.clone)
        self.assertTrue(torch.equal(clean(x), x))
        self.assertEqual(back.programs, ["def graph(p0: f16[65]):\nv0 = aten.clone.default(p0)\nreturn v0\n"])
        self.assertEqual(back.fired, 0)
        broken, back = compiled(torch.clone, faults=["schedule.piece_floor(*)"])
        y = broken(x)
        self.assertTrue(torch.equal(y[:64], x[:64]))
        self.assertNotEqual(y[64].item(), 64.0)
        self.assertGreater(back.fired, 0)

    def test_gradients(self):
        def loss(w, x):
            return (torch.relu(x @ w) * 2).sum()

        w, x = small(4, 3), small(5, 4)
        expected, found = w.clone().requires_grad_(), w.clone().requires_grad_()
        loss(expected, x).backward()
        function, back = compiled(loss)
        function(found, x).backward()
        self.assertEqual(found.grad.tolist(), expected.grad.tolist())
        self.assertEqual(len(back.programs), 2)

    def test_sizes_that_are_symbols_become_numbers(self):
        torch._dynamo.reset()
        back = faultline.backend(options={"cores": 1})
        function = torch.compile(lambda x: (x.reshape(-1) + x.shape[0], x.shape[0] * 2), backend=back, dynamic=True)
        for rows in (3, 4, 5, 3):
            y, number = function(small(rows, 2))
            self.assertEqual(y.tolist(), (small(rows, 2).reshape(-1) + rows).tolist())
            self.assertEqual(number, 2 * rows)
        self.assertEqual(len(back.programs), 3)
        self.assertIn("f16[4,2]", back.programs[1])

    def test_writes_lists_constants_and_what_is_handed_through(self):
        def f(x, y):
            a, b = torch.split(x, 2)
            y.add_(1)
            return a + b * torch.tensor(2.0, dtype=torch.float16), x, None, y.t()

        x, y = small(4, 3), small(3, 3).t()
        function, _ = compiled(f)
        with torch.no_grad():
            total, same, nothing, turned = function(x, y)
        self.assertEqual(total.tolist(), (small(4, 3)[:2] + 2 * small(4, 3)[2:]).tolist())
        self.assertIs(same, x)
        self.assertIsNone(nothing)
        self.assertEqual(y.tolist(), (small(3, 3).t() + 1).tolist())
        self.assertEqual(turned.data_ptr(), y.data_ptr())

    def test_what_is_not_supported_is_named(self):
        with self.assertRaisesRegex(faultline.Unsupported, "aten.*det"):
            compiled(torch.linalg.det)[0](torch.eye(2))
        with self.assertRaisesRegex(faultline.Unsupported, "complex64"):
            compiled(torch.clone)[0](torch.ones(2, dtype=torch.complex64))

    def test_mistakes_of_the_caller(self):
        with self.assertRaisesRegex(faultline.TargetError, "no fault 'tile.trip_flor'|tile.trip_floor"):
            compiled(torch.clone, faults=["tile.trip_flor(*)"])[0](torch.ones(2))
        with self.assertRaisesRegex(faultline.TargetError, "coers"):
            compiled(torch.clone, options={"coers": 1})[0](torch.ones(2))

    def test_a_server_that_ends_is_said_and_started_again(self):
        function, back = compiled(torch.neg)
        x = torch.ones(3, dtype=torch.float16)
        self.assertEqual(function(x).tolist(), [-1, -1, -1])
        os.kill(back.target.server.process, signal.SIGKILL)
        with self.assertRaisesRegex(faultline.CommandError, "has ended"):
            function(x)
        self.assertEqual(function(x).tolist(), [-1, -1, -1])

    def test_requests_that_are_none_are_refused(self):
        for settings, program, why in (
            ({"no": "spyre"}, "def f(): return", "no setting 'no', did you mean 'on'"),
            ({"on": "inductor"}, "def f(x: f32[1]): return x", "'inductor' is no modelled target"),
            ({"on": "spyre"}, "def f(x: f32[2]): return x", "the argument 'x' is not as its parameter says"),
            ({"on": "spyre"}, "def f(: return", "program:1:"),
        ):
            reply = self.talk().run(program, settings, [[torch.ones(1)]])
            self.assertEqual(reply.status, "raised")
            self.assertIn(why, reply.text)

    @classmethod
    def talk(cls):
        cls.server = getattr(cls, "server", None) or server.Server()
        return cls.server


class Text(unittest.TestCase):
    def test_other_operators_than_those_of_aten(self):
        graph = torch.fx.Graph()
        x = graph.placeholder("x")
        x.meta["val"] = torch.ones(2)
        y = graph.call_function(torch.ops.prims.sin.default, (x,))
        graph.output((y,))
        with self.assertRaisesRegex(faultline.Unsupported, "prims.sin.default: only operators of ATen"):
            graph_text.graph_text(torch.fx.GraphModule(torch.nn.Module(), graph))


if __name__ == "__main__":
    unittest.main()
