"""What each query's seconds are made of, for `explain`, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.units import format_seconds

_MOST_TERMS = 8


def show(queries: Sequence[dict[str, Any]]) -> None:
    """A few lines a query."""
    out = console()
    for q in queries:
        print_lines(out, _lines(q))


def _lines(q: dict[str, Any]) -> Iterator[str]:
    shown = [(n, s) for n, s in q["terms_core_seconds"].items() if s > 0][:_MOST_TERMS]
    terms = ", ".join(f"{name.replace('_', ' ')} {format_seconds(seconds)}" for name, seconds in shown)
    yield f"{q['name']}, query {q['query']} of {q['run']}"
    for where, measured, by_model, parts in (
        ("on the clock", "measured_seconds", "predicted_seconds", ""),
        ("on all cores", "measured_core_seconds", "predicted_core_seconds", f": {terms}"),
    ):
        yield f"  {where}: {format_seconds(q[measured])} measured, {format_seconds(q[by_model])} by the model{parts}"
