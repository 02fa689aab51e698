"""Benchmarks run by hand, seldom: what they import of the tuner is there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

BENCHMARKS = Path(__file__).parent / "benchmarks"


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """Modules of the tuner, and names in them."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tuner."):
            yield from ((node.module or "", alias.name) for alias in node.names)


def is_there(module: str, name: str) -> bool:
    found = import_module(module)
    return hasattr(found, name) or (hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None)


def test_what_they_import_is_there() -> None:
    found = {(file.name, *one) for file in BENCHMARKS.rglob("*.py") for one in imported(file)}
    assert [one for one in sorted(found) if not is_there(*one[1:])] == []
