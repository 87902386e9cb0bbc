"""A worker that does what a test asks of it, step by step, and lies if that is a step (tests/worker_test.cc).

The first argument, if any, is what it does instead of greeting: JSON like the steps in a request's settings.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

from faultline.workers.protocol import Rejected, Request, TensorBytes, TensorView, serve

kept = []  # what a step leaves in memory


def send(header: bytes, text: bytes, descriptors: list[int]) -> None:
    wire = socket.socket(fileno=os.dup(3))
    if descriptors:
        socket.send_fds(wire, [header], descriptors)
        wire.sendall(text)
    else:
        wire.sendall(header + text)


def send_frame(text: bytes, descriptors: list[int] = []) -> None:
    send(len(text).to_bytes(4, "little") + bytes([len(descriptors)]), text, descriptors)


def memory_block(size: int) -> int:
    block = os.memfd_create("lie", os.MFD_ALLOW_SEALING)
    os.ftruncate(block, size)
    return block


def echo(request: Request) -> None:
    """Gives back the arguments of every call and the attributes as they came."""

    def describe(value: object) -> TensorBytes | None:
        if not isinstance(value, TensorView):
            return None
        return TensorBytes(*value, content=lambda: request.storages[value.storage])

    for call in request.calls:
        request.end_call(describe, call, call, request.attributes)
    program = request.program if isinstance(request.program, bytes) else request.program.encode()
    request.attestation |= {"form": request.form, "entry": request.entry, "program": program.hex()}


def start_child(request: Request | None) -> None:
    child = subprocess.Popen(["sleep", "100"])
    request.attestation["child"] = child.pid
    kept.append(child)


def print_much(count: int) -> None:
    for _ in range(count):
        os.write(1, b"\xff\x00many words without an end \n" * 1000)
    os.write(2, b"last words\n")


def allocate(count: int) -> None:
    for _ in range(count):
        kept.append(b"x" * (1 << 20))


def close_wire(_: int) -> None:
    os.close(3)
    time.sleep(100)


def raise_named(name: str) -> None:
    raise {"rejected": Rejected("no such operator"), "exit": SystemExit(5)}.get(name) or ValueError("first\nsecond")


def reply(request: Request, content: dict, block: int) -> None:
    send_frame(json.dumps({"id": request.id} | content).encode(), [memory_block(block)] if block >= 0 else [])


def reply_twice(request: Request, content: dict, block: int) -> None:
    """What follows the reply is there as soon as the reply is."""
    text = json.dumps({"id": request.id} | content).encode()
    send(len(text).to_bytes(4, "little") + b"\1", text + b"\2\0\0\0\0{}", [memory_block(block)])


STEPS = {
    "phase": lambda request, name: request.phase(name),
    "signal": lambda request, number: os.kill(os.getpid(), number),
    "exit": lambda request, code: os._exit(code),
    "sleep": lambda request, milliseconds: time.sleep(milliseconds / 1000),
    "ignore": lambda request, number: signal.signal(number, signal.SIG_IGN),
    "echo": lambda request, _: echo(request),
    "raise": lambda request, name: raise_named(name),
    "child": lambda request, _: start_child(request),
    "print": lambda request, count: print_much(count),
    "allocate": lambda request, mebibytes: allocate(mebibytes),
    "close": lambda request, number: close_wire(number),
    "process": lambda request, _: request.attestation.update(process=os.getpid(), session=os.getsid(0)),
    "environment": lambda request, _: request.attestation.update(os.environ),
    "reply": lambda request, content: reply(request, *content),
    "reply_twice": lambda request, content: reply_twice(request, *content),
    "text": lambda request, text: send_frame(text.encode()),
    "deep": lambda request, levels: send_frame(b"[" * levels),
    "wide": lambda request, count: send_frame(b'{"id":[' + b"0," * count + b"0]}"),
    "header": lambda request, header: send(bytes.fromhex(header), b"{}", []),
    "descriptors": lambda request, count: send_frame(b"{}", [1] * count),
    "pipe": lambda request, content: send_frame(json.dumps({"id": request.id} | content).encode(), [os.pipe()[0]]),
}


def take_steps(request: Request | None, steps: list) -> None:
    for name, argument in steps:
        STEPS[name](request, argument)


def prepare() -> dict:
    return {"fake": 1, "process": os.getpid()}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        take_steps(None, json.loads(sys.argv[1]))
    serve(prepare, lambda request: take_steps(request, request.settings["steps"]))
