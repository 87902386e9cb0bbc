"""The worker's side of the conversation with the supervisor (runtime/backends/worker/wire.h, version 1).

A worker is a file that ends in `serve(prepare, handle)`. `prepare()` imports what it needs, proves that private
interfaces still work, and returns the attestation; `handle(request)` runs one request: it announces phases, hands every
call's results to `request.end_call`, and raises what goes wrong. Only the standard library is used here.
"""
import base64
import fcntl
import faulthandler
import json
import mmap
import os
import signal
import socket
import struct
import traceback
from typing import Any, Callable, NamedTuple

PROTOCOL = 1
SOCKET_NUMBER = 3
ALIGNMENT = 64
TEXT_MAX = 400


class Unavailable(Exception):
    """What the worker is for is not there. The text says what to install."""


class Rejected(Exception):
    """The compiler does not support the program. The text is the reply's."""


class Raised(Exception):
    """The compiler or the program raised. The text is the reply's, the cause is what was raised."""


class TensorView(NamedTuple):
    """A tensor of a request: strides and offset count elements; `storage` is an index into `Request.storages`."""

    dtype: str
    sizes: list[int]
    strides: list[int]
    offset: int
    storage: int


class TensorBytes(NamedTuple):
    """A tensor of a reply, as a worker's `describe` sees one.

    Tensors of one call with equal `key` share a storage. `content()` gives its bytes.
    """

    dtype: str
    sizes: list[int]
    strides: list[int]
    offset: int
    key: Any
    content: Callable[[], Any]


# Says None to what is no tensor.
Describe = Callable[[Any], TensorBytes | None]


def read_value(tagged: dict) -> Any:
    ((tag, content),) = tagged.items()
    if tag == "tensor":
        return TensorView(**content)
    if tag == "real":
        return float.fromhex(content)
    if tag == "none":
        return None
    if tag == "list":
        return [read_value(element) for element in content]
    return content


class Block:
    """Storages of a reply in one memfd, each where the one before ends, rounded up."""

    def __init__(self) -> None:
        self.number = -1
        self.end = 0
        self.storages: list[dict] = []

    def add(self, content: Any) -> int:
        if self.number < 0:
            self.number = os.memfd_create("faultline", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        view = memoryview(content).cast("B")
        offset = (self.end + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        done = 0
        while done < len(view):
            done += os.pwrite(self.number, view[done:], offset + done)
        self.end = offset + len(view)
        self.storages.append({"offset": offset, "bytes": len(view)})
        return len(self.storages) - 1

    def seal(self) -> int:
        if self.number >= 0:
            os.ftruncate(self.number, self.end)
            fcntl.fcntl(self.number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        return self.number

    def close(self) -> None:
        if self.number >= 0:
            os.close(self.number)


class Snapshot:
    """Values of one call: tensors that share memory now get one storage, which no later call changes."""

    def __init__(self, describe: Describe, block: Block) -> None:
        self.describe = describe
        self.block = block
        self.numbers: dict[Any, int] = {}

    def value(self, value: Any) -> dict:
        if value is None:
            return {"none": True}
        if isinstance(value, bool):
            return {"bool": value}
        if isinstance(value, int):
            return {"int": int(value)}
        if isinstance(value, float):
            return {"real": float(value).hex()}
        if isinstance(value, str):
            return {"text": value}
        tensor = self.describe(value)
        if tensor is None and isinstance(value, (list, tuple)):
            return {"list": self.values(value)}
        if tensor is None:
            raise TypeError(f"a value of type {type(value).__name__} came out")
        if tensor.key not in self.numbers:
            self.numbers[tensor.key] = self.block.add(tensor.content())
        return {
            "tensor": {
                "dtype": tensor.dtype,
                "sizes": list(tensor.sizes),
                "strides": list(tensor.strides),
                "offset": tensor.offset,
                "storage": self.numbers[tensor.key],
            }
        }

    def values(self, values: Any) -> list[dict]:
        return [self.value(value) for value in values]


class Request:
    """One run, and what is known of its reply so far.

    `storages` are writable and private: as long as the request, nobody else sees them. Attributes are pairs of name and
    value; values are TensorView, int, float, bool, None, and lists of them.
    """

    def __init__(self, message: dict, block: int | None, announce: Callable[[dict], None]) -> None:
        self.id: int = message["id"]
        self.form: str = message["form"]
        self.program: str | bytes = (
            message["program"] if "program" in message else base64.b64decode(message["program_base64"])
        )
        self.entry: str = message["entry"]
        self.settings: dict = message["settings"]
        self.attributes = [(name, read_value(value)) for name, value in message["attributes"]]
        self.calls = [[read_value(value) for value in call] for call in message["calls"]]
        self.storages: list[memoryview] = []
        if block is not None:
            size = os.fstat(block).st_size
            memory = memoryview(mmap.mmap(block, size, mmap.MAP_PRIVATE)) if size else memoryview(bytearray())
            self.storages = [memory[s["offset"] : s["offset"] + s["bytes"]] for s in message["storages"]]
        self.attestation: dict = {}
        self._announce = announce
        self._ended: list[dict] = []
        self._block = Block()

    def phase(self, name: str) -> None:
        """To be called before each of parse, compile, execute, fetch."""
        self._announce({"id": self.id, "phase": name})

    def end_call(self, describe: Describe, outputs: Any, inputs: Any, attributes: Any) -> None:
        """Keeps what a call left; `attributes` are pairs in the request's order. `describe` is asked about every value
        that is no number, truth value, None or list."""
        snapshot = Snapshot(describe, self._block)
        self._ended.append(
            {
                "outputs": snapshot.values(outputs),
                "inputs_after": snapshot.values(inputs),
                "attributes_after": [[name, snapshot.value(value)] for name, value in attributes],
            }
        )

    def reply(self, status: str, text: str) -> tuple[dict, int]:
        message = {"id": self.id, "status": status, "text": text, "calls": self._ended}
        message |= {"storages": self._block.storages, "attestation": self.attestation}
        return message, self._block.seal()

    def close(self) -> None:
        self._block.close()


class Connection:
    """Either end of the conversation."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end

    def send(self, message: dict, block: int = -1) -> None:
        text = json.dumps(message, allow_nan=False).encode()
        header = struct.pack("<IB", len(text), int(block >= 0))
        if block >= 0:
            socket.send_fds(self.socket, [header], [block])
            self.socket.sendall(text)
        else:
            self.socket.sendall(header + text)

    def receive(self) -> tuple[dict, int | None] | None:
        """None when the other side has gone."""
        header, blocks, _, _ = socket.recv_fds(self.socket, 5, 1)
        if not header:
            return None
        try:
            header += self._exactly(5 - len(header))
            size, _ = struct.unpack("<IB", header)
            return json.loads(self._exactly(size)), blocks[0] if blocks else None
        except EOFError:
            return None

    def _exactly(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self.socket.recv(min(size - len(parts), 1 << 20))
            if not part:
                raise EOFError("the other side has gone in the middle of a message")
            parts += part
        return bytes(parts)


def one_line(error: BaseException) -> str:
    """The class and the first line that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return text[:TEXT_MAX]


def status_of(error: BaseException) -> tuple[str, str]:
    for kind, status in ((Rejected, "rejected"), (Unavailable, "unavailable"), (Raised, "raised")):
        if isinstance(error, kind):
            return status, str(error)[:TEXT_MAX]
    if isinstance(error, MemoryError):
        return "out_of_memory", one_line(error)
    return "raised", one_line(error)


def answer(connection: Connection, message: dict, block: int | None, handle: Callable[[Request], None]) -> None:
    request = Request(message, block, connection.send)
    if block is not None:
        os.close(block)
    try:
        handle(request)
        status, text = "ok", ""
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: a program may raise anything
        status, text = status_of(error)
        if status == "raised":
            traceback.print_exception(error.__cause__ or error)
    reply, reply_block = request.reply(status, text)
    connection.send(reply, reply_block)
    request.close()


def serve(prepare: Callable[[], dict], handle: Callable[[Request], None]) -> None:
    """Never returns. A crash, and the supervisor's deadline (SIGTERM), leave a traceback on stderr."""
    faulthandler.enable()
    faulthandler.register(signal.SIGTERM, chain=True)
    end = socket.socket(fileno=SOCKET_NUMBER)
    end.set_inheritable(False)
    connection = Connection(end)
    try:
        connection.send({"hello": PROTOCOL, "attestation": prepare()})
    except Unavailable as error:
        connection.send({"hello": PROTOCOL, "unavailable": str(error)})
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # at once: a large library can take long to take leave
    while (received := connection.receive()) is not None:
        answer(connection, *received, handle)
    os._exit(0)
