"""Finds and runs the faultline command."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]  # of the tree, where the package was not installed by itself


class CommandError(RuntimeError):
    """The command is not there, or it refused what it was asked."""


def is_root(folder: pathlib.Path) -> bool:
    return (folder / "faultline").is_file() and (folder / "cli" / "cli.def").is_file()


def root() -> pathlib.Path | None:
    named = os.environ.get("FAULTLINE_ROOT")
    if named and not is_root(pathlib.Path(named)):
        raise CommandError(f"FAULTLINE_ROOT is {named}, which is not the folder of faultline")
    found = pathlib.Path(named) if named else ROOT
    return found if is_root(found) else None


def built(name: str) -> pathlib.Path | None:
    """A program of the tree's build; FAULTLINE_BUILD names another build than the one that ./faultline makes."""
    tree = root()
    if tree is None:
        return None
    path = pathlib.Path(os.environ.get("FAULTLINE_BUILD") or tree / "build" / "release") / "cli" / name
    return path if path.is_file() else None


def program() -> str:
    """The built program itself if there is one: the script in front of it would look for changes first."""
    tree = root()
    if tree is not None:
        return str(built("faultline") or tree / "faultline")
    found = shutil.which("faultline")
    if found is None:
        raise CommandError("the faultline command is not found: FAULTLINE_ROOT names the folder that it lies in")
    return found


def server_program() -> str:
    """The program that runs modelled targets for others; it lies beside the built command."""
    command = program()
    beside = built("faultline_serve") or pathlib.Path(command).resolve().with_name("faultline_serve")
    if not beside.is_file():
        raise CommandError(f"faultline_serve is not built: run {command} --version once")
    return str(beside)


def environment() -> dict[str, str]:
    """Workers run on this very Python, with this torch: what they load was compiled and made here."""
    return os.environ | {"FAULTLINE_WORKER_PYTHON": sys.executable}


def run(arguments: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run([program(), *arguments], capture_output=True, text=True, env=environment())


def last_words(result: subprocess.CompletedProcess) -> str:
    said = result.stderr.strip().splitlines()
    return said[-1] if said else f"the faultline command ended with {result.returncode} and said nothing"
