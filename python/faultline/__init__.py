"""What a Python program imports: check, assert_matches_eager, backend. docs/python.md shows how they are used.

Names are looked up when they are first used: workers import this package too, and start faster without.
"""
import importlib
from typing import Any

_WHERE = {
    "check": "checking",
    "assert_matches_eager": "checking",
    "Call": "checking",
    "Verdict": "verdict",
    "CannotCarry": "carry",
    "backend": "target_backend",
    "TargetError": "target_backend",
    "Unsupported": "target_backend",
    "CommandError": "command",
}
__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'faultline' has no attribute '{name}'")
    return getattr(importlib.import_module(f"faultline.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return __all__
