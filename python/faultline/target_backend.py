"""A back end of torch.compile: Dynamo's graphs on a modelled target, with faults in it where they are asked for.

AOTAutograd makes a graph functional and differentiates it; for every set of sizes that it is called with it is traced
once more to ATen operators on fixed sizes, written as program text, and run by a process of the faultline command. What
comes out is what the running program gets.
"""
from typing import Any, Callable

from faultline.graph_text import GraphText, Unsupported, graph_text

__all__ = ["TargetError", "Unsupported", "backend"]


class TargetError(RuntimeError):
    """The target stopped, or what was asked for is none: the text says how."""


def compact(tensor: Any) -> Any:
    """The same elements and strides in memory of its own, no larger than they need."""
    import torch

    tensor = tensor.detach().resolve_conj().resolve_neg()
    last = sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride()))
    span = 0 if tensor.numel() == 0 else last + 1
    whole = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())
    memory = whole[tensor.storage_offset() : tensor.storage_offset() + span].clone()
    return memory.as_strided(tensor.size(), tensor.stride(), 0)


class Target:
    def __init__(self, name: str, options: dict[str, Any], faults: list[str], memory: str) -> None:
        switches = ",".join(f"{key}={text(value)}" for key, value in options.items())
        self.settings = {"on": f"{name}({switches})" if switches else name, "faults": faults, "memory": memory}
        self.server: Any = None
        self.programs: list[str] = []
        self.fired = 0

    def operators(self) -> set[str]:
        from faultline.server import Server

        if self.server is None:
            self.server = Server()
        return self.server.known_operators()

    def run(self, graph: GraphText, inputs: tuple) -> list[Any]:
        arguments = [*(inputs[index] for index in graph.parameters), *graph.constants]
        reply = self.server.run(graph.program, self.settings, [[compact(argument) for argument in arguments]])
        if reply.status == "rejected":
            raise Unsupported(f"{self.settings['on']} does not take the program: {reply.text}")
        if reply.status != "ok":
            raise TargetError(f"{self.settings['on']}: {reply.text}")
        self.fired += sum(reply.attestation.get("fired", []))
        return reply.calls[0]


def text(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


class Compiled:
    """One graph of AOTAutograd; written down once for each set of sizes."""

    def __init__(self, module: Any, target: Target) -> None:
        self.module = module
        self.target = target
        self.written: dict[Any, GraphText] = {}

    def text_for(self, inputs: tuple) -> GraphText:
        import torch

        key = tuple((tuple(x.size()), tuple(x.stride())) if isinstance(x, torch.Tensor) else x for x in inputs)
        if key not in self.written:
            self.written[key] = graph_text(self.traced(inputs))
            self.target.programs.append(self.written[key].program)
        return self.written[key]

    def traced(self, inputs: tuple) -> Any:
        """On these sizes; operators that the target does not know are taken apart as far as torch knows how."""
        import torch
        from torch._decomp import get_decompositions
        from torch.fx.experimental.proxy_tensor import make_fx

        known, table = self.target.operators(), {}
        while True:
            with torch.no_grad():
                trace = make_fx(torch.fx.Interpreter(self.module).run, decomposition_table=table, tracing_mode="fake")
                static = trace(*inputs)
            static.graph.eliminate_dead_code()
            targets = {node.target for node in static.graph.nodes if isinstance(node.target, torch._ops.OpOverload)}
            more = get_decompositions([target for target in targets if str(target) not in known])
            if not more.keys() - table.keys():
                return static
            table |= more

    def __call__(self, *inputs: Any) -> list[Any]:
        graph = self.text_for(inputs)
        results = [] if graph.is_empty else self.target.run(graph, inputs)
        found = {"result": results, "input": inputs}
        return [value if kind == "constant" else found[kind][value] for kind, value in graph.returns]


class Backend:
    """What torch.compile is given. `programs` are the graphs that ran, as text; `fired` counts what was planted."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.__name__ = "faultline_" + target.settings["on"]

    @property
    def programs(self) -> list[str]:
        return self.target.programs

    @property
    def fired(self) -> int:
        return self.target.fired

    def __call__(self, module: Any, inputs: list[Any]) -> Callable[..., Any]:
        from torch._dynamo.backends.common import aot_autograd
        from torch._functorch.aot_autograd import make_boxed_func

        def compiled(graph: Any, _: list[Any]) -> Callable[..., Any]:
            return make_boxed_func(Compiled(graph, self.target))

        return aot_autograd(fw_compiler=compiled)(module, inputs)


def backend(
    target: str = "spyre",
    *,
    options: dict[str, Any] | None = None,
    faults: list[str] | tuple[str, ...] | str = (),
    memory: str = "fresh",
) -> Backend:
    """A back end for torch.compile that runs on the modelled `target` ('faultline list targets') with its `options`, as
    in {"cores": 1}, and with `faults` planted ('faultline list faults')."""
    planted = [faults] if isinstance(faults, str) else list(faults)
    return Backend(Target(target, options or {}, planted, memory))
