"""Precompiled headers that outlive a worker: a quarter of a minute each, and a matter of compiler and torch alone.

Each worker has a folder of its own, in which finished headers of the shared one appear as links. A header is shared by
renaming a complete copy, so that a worker that is ended while it compiles spoils nothing.
"""
import os
import shutil


def adopt(shared: str, private: str) -> None:
    os.makedirs(shared, exist_ok=True)
    os.makedirs(private, exist_ok=True)
    for name in os.listdir(shared):
        link = os.path.join(private, name)
        if not name.startswith(".") and not os.path.lexists(link):
            os.symlink(os.path.join(shared, name), link)


def publish(private: str, shared: str) -> None:
    """Headers first: a precompiled one is of use only beside its source. Call it when nothing is being compiled."""
    if not os.path.isdir(private):
        return
    for name in sorted(os.listdir(private), key=lambda name: name.endswith(".gch")):
        source, target = os.path.join(private, name), os.path.join(shared, name)
        if os.path.islink(source) or not os.path.isfile(source) or not name.endswith((".h", ".gch")):
            continue
        if name.endswith(".gch") and not os.path.exists(target.removesuffix(".gch")):
            continue
        if not os.path.exists(target):
            partial = os.path.join(shared, f".{name}.{os.getpid()}")
            shutil.copyfile(source, partial)
            os.rename(partial, target)
