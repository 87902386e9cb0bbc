"""A functional graph of ATen operators as program text (docs/program-text.md), one graph for one set of sizes."""
import dataclasses
from typing import Any

from faultline.workers.tensors import dtype_names


class Unsupported(RuntimeError):
    """The graph holds what program text or the target does not take. The text names the operator."""


@dataclasses.dataclass
class GraphText:
    program: str
    parameters: list[int]  # which of the graph's inputs are the program's, in its order
    constants: list[Any]  # tensors that the graph holds itself: parameters behind those
    returns: list[Any]  # for each output of the graph: ("result", index), ("input", index) or ("constant", value)
    is_empty: bool  # computes nothing


def type_text(tensor: Any, place: str) -> str:
    if tensor.dtype not in dtype_names():
        raise Unsupported(f"{place} has elements of {tensor.dtype}, which the modelled targets do not know")
    sizes = [int(size) for size in tensor.size()]
    strides = [int(stride) for stride in tensor.stride()]
    text = f"{dtype_names()[tensor.dtype]}[{','.join(map(str, sizes))}]"
    due, contiguous = 1, []
    for size in reversed(sizes):
        contiguous.insert(0, due)
        due *= max(size, 1)
    return text if strides == contiguous else text + "{stride=" + ",".join(map(str, strides)) + "}"


def is_node(value: Any) -> bool:
    return hasattr(value, "all_input_nodes")


class Writer:
    def __init__(self, module: Any) -> None:
        self.module = module
        self.names: dict[Any, Any] = {}  # of a node: its name, or those of the elements of a list
        self.inputs: dict[Any, int] = {}
        self.constants: list[Any] = []
        self.heads: list[str] = []
        self.lines: list[str] = []
        self.constant_heads: list[str] = []
        self.parameters: list[int] = []

    def argument(self, value: Any, target: str) -> str:
        import torch

        if is_node(value):
            name = self.names.get(value)
            if not isinstance(name, str):
                raise Unsupported(f"{target}: takes {value}, which is no tensor")
            return name
        if value is None or isinstance(value, (bool, int)):
            return str(value)
        if isinstance(value, float):
            return repr(value)
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self.argument(element, target) for element in value) + "]"
        if isinstance(value, torch.dtype):
            if value not in dtype_names():
                raise Unsupported(f"{target}: {value} is no type that the modelled targets know")
            return dtype_names()[value]
        if isinstance(value, (torch.memory_format, torch.layout)):
            return str(value).removeprefix("torch.")
        if isinstance(value, torch.device):
            return value.type
        if isinstance(value, str):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        raise Unsupported(f"{target}: an argument of type {type(value).__name__}")

    def placeholder(self, node: Any, index: int) -> None:
        import torch

        self.inputs[node] = index
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and node.users:
            self.names[node] = f"p{index}"
            self.parameters.append(index)
            self.heads.append(f"p{index}: {type_text(value, 'an input')}")

    def constant(self, node: Any) -> None:
        import torch

        value: Any = self.module
        for part in node.target.split("."):
            value = getattr(value, part)
        if not isinstance(value, torch.Tensor):
            raise Unsupported(f"the graph holds a {type(value).__name__}")
        self.names[node] = f"c{len(self.constants)}"
        self.constant_heads.append(f"{self.names[node]}: {type_text(value, 'a constant')}")
        self.constants.append(value)

    def call(self, node: Any) -> None:
        import operator

        import torch

        if node.target is operator.getitem:
            self.names[node] = self.names[node.args[0]][node.args[1]]
            return
        target = str(node.target)
        if not isinstance(node.target, torch._ops.OpOverload) or node.target.namespace != "aten":
            raise Unsupported(f"{target}: only operators of ATen can be written")
        value = node.meta.get("val")
        name = f"v{len(self.lines)}"
        if isinstance(value, (list, tuple)):
            self.names[node] = [f"{name}_{index}" for index in range(len(value))]
        elif isinstance(value, torch.Tensor):
            self.names[node] = name
        else:
            raise Unsupported(f"{target}: gives a {type(value).__name__}")
        arguments = [self.argument(value, target) for value in node.args]
        arguments += [f"{key} = {self.argument(value, target)}" for key, value in node.kwargs.items()]
        results = self.names[node] if isinstance(self.names[node], list) else [name]
        self.lines.append(f"{', '.join(results)} = {target}({', '.join(arguments)})")

    def written(self) -> GraphText:
        outputs: Any = ()
        index = 0
        for node in self.module.graph.nodes:
            if node.op == "placeholder":
                self.placeholder(node, index)
                index += 1
            elif node.op == "get_attr":
                self.constant(node)
            elif node.op == "call_function":
                self.call(node)
            elif node.op == "output":
                outputs = node.args[0]
            else:
                raise Unsupported(f"{node.target}: a graph with calls of modules is not functional")
        returned: list[str] = []
        returns = [self.returned(value, returned) for value in outputs]
        heads = ", ".join(self.heads + self.constant_heads)
        lines = [f"def graph({heads}):", *self.lines, f"return {', '.join(returned)}".strip(), ""]
        return GraphText("\n".join(lines), self.parameters, self.constants, returns, not returned)

    def returned(self, value: Any, names: list[str]) -> tuple[str, Any]:
        if not is_node(value):
            return "constant", value
        if value in self.inputs:
            return "input", self.inputs[value]
        name = self.argument(value, "return")
        if name not in names:
            names.append(name)
        return "result", names.index(name)


def graph_text(module: Any) -> GraphText:
    return Writer(module).written()
