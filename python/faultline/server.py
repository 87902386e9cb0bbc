"""The supervisor's end of the conversation, for a process that runs programs on modelled targets: command line
faultline_serve, wire as in workers/protocol.py."""
import contextlib
import mmap
import os
import socket
import threading
from typing import Any

from faultline import command
from faultline.workers import protocol
from faultline.workers.tensors import describe, make_storage, make_value


class Reply:
    """What came back: status "ok" with the outputs of each call, or another with its text."""

    def __init__(self, message: dict, memory: Any) -> None:
        self.status: str = message["status"]
        self.text: str = message["text"]
        self.attestation: dict = message["attestation"]
        contents = [memory[s["offset"] : s["offset"] + s["bytes"]] for s in message["storages"]]
        storages = [make_storage(content) for content in contents]
        self.calls = [
            [make_value(protocol.read_value(value), storages) for value in call["outputs"]] for call in message["calls"]
        ]


class Server:
    """Started when it is first asked, ended with the object or with this process."""

    def __init__(self) -> None:
        self.connection: protocol.Connection | None = None
        self.process = -1
        self.number = 0
        self.operators: set[str] = set()  # "aten.add.Tensor": what program text may call
        self.lock = threading.Lock()

    def start(self) -> None:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), protocol.SOCKET_NUMBER)]
            path = command.server_program()
            self.process = os.posix_spawn(path, [path], os.environ, file_actions=actions)
        self.connection = protocol.Connection(mine)
        hello, _ = self.exchange()
        self.operators = set(hello["attestation"]["operators"])

    def exchange(self, message: dict | None = None, block: int = -1) -> tuple[dict, int | None]:
        """Sends a message, or none, and waits for the next."""
        try:
            if message is not None:
                self.connection.send(message, block)
            received = self.connection.receive()
        except OSError:  # it ended while it was written to
            received = None
        if received is None:
            self.close()
            raise command.CommandError("the process that runs the modelled target has ended")
        return received

    def known_operators(self) -> set[str]:
        with self.lock:
            if self.connection is None:
                self.start()
            return self.operators

    def run(self, program: str, settings: dict, calls: list[list]) -> Reply:
        with self.lock:
            if self.connection is None:
                self.start()
            self.number += 1
            message = {"protocol": protocol.PROTOCOL, "id": self.number, "kind": "run", "form": "text", "entry": ""}
            block = protocol.Block()
            written = protocol.Snapshot(describe, block)
            message |= {"program": program, "settings": settings, "attributes": []}
            message |= {"calls": [written.values(call) for call in calls], "storages": block.storages}
            try:
                return self.reply(*self.exchange(message, block.seal()))
            finally:
                block.close()

    @staticmethod
    def reply(message: dict, block: int | None) -> Reply:
        if block is None:
            return Reply(message, memoryview(b""))
        try:
            size = os.fstat(block).st_size
            with mmap.mmap(block, size, prot=mmap.PROT_READ) as memory, memoryview(memory) as view:
                return Reply(message, view)
        finally:
            os.close(block)

    def close(self) -> None:
        if self.connection is not None:
            self.connection.socket.close()
            self.connection = None
            os.waitpid(self.process, 0)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # whatever is left of Python at its end
            self.close()
