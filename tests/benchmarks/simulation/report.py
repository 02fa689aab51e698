"""Scores as tables, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from tests.benchmarks.simulation.scenario import SCENARIOS
from tests.benchmarks.simulation.score import Score, total


def _share(part: float, whole: float, digits: int = 1) -> str:
    return f"{part / whole:.{digits}%}" if whole else "-"


# What a column says of a scenario's cohorts together (`all`) and one by one (`each`).
Cell = Callable[[Score, Sequence[Score]], str]

_SECONDS: Mapping[str, Cell] = {
    "cohorts": lambda all_, each: f"{len(each):,}",
    "hours untuned": lambda all_, each: f"{all_.untuned / 3600:,.0f}",
    "saved": lambda all_, each: _share(all_.untuned - all_.tuned, all_.untuned),
    "always all advice": lambda all_, each: _share(all_.untuned - all_.all_advice, all_.untuned),
    "oracle": lambda all_, each: _share(all_.untuned - all_.oracle, all_.untuned),
    "of the oracle's": lambda all_, each: _share(all_.untuned - all_.tuned, all_.untuned - all_.oracle, 0),
    "runs over 5 % slower": lambda all_, each: _share(all_.slower_runs, all_.nights, 2),
    "seconds they lost": lambda all_, each: _share(all_.slower_seconds, all_.untuned, 2),
    "queries over 5 % slower": lambda all_, each: _share(all_.slower_queries, all_.queries, 2),
    "made to fail": lambda all_, each: _share(all_.failed_by_tuner, all_.nights, 2),
    "cohorts slower": lambda all_, each: _share(sum(s.lost for s in each), len(each)),
    "the worst": lambda all_, each: f"{max(s.tuned / s.untuned for s in each):.2f}x",
    "nights to 90 %": lambda all_, each: "-" if all_.nights_to_gain is None else str(all_.nights_to_gain),
}
_TURNS: Mapping[str, Cell] = {
    "tried": lambda all_, each: f"{all_.turns.trials:,}",
    "promoted": lambda all_, each: f"{all_.turns.promotions:,}",
    "though it loses": lambda all_, each: _share(all_.turns.false_promotions, all_.turns.promotions),
    "nights proven": lambda all_, each: f"{all_.turns.proven_nights:,}",
    "that lost": lambda all_, each: _share(all_.turns.losing_nights, all_.turns.proven_nights, 2),
    "rolled back": lambda all_, each: f"{all_.turns.rollbacks:,}",
    "though it gains": lambda all_, each: _share(sum(all_.turns.false_rollbacks.values()), all_.turns.rollbacks),
}


# Columns of what an oracle saves and the tuner does not: as many as fit.
MOST_WHYS = 9


def tables(scores: Sequence[Score], title: str) -> tuple[Table, Table, Table]:
    """A row for each scenario, and one for all: seconds by policy, the turns that changes took (gains and losses of 5 % and
    more), where the oracle's seconds went, and what made runs slower."""
    rows = list(_rows(scores))
    whys = sorted({why for all_, _ in rows for why in all_.turns.false_rollbacks})
    return (
        _table(rows, title, _SECONDS),
        _table(rows, "Changes, and rollbacks of what gains by why", _TURNS | {why: _because(why) for why in whys}),
        _table(
            rows,
            "Seconds that the oracle saves and the tuner does not, of all; runs over 5 % slower by why",
            _regrets(rows) | _slower(rows),
        ),
    )


def _table(rows: Sequence[tuple[Score, Sequence[Score]]], title: str, columns: Mapping[str, Cell]) -> Table:
    found = Table("", *columns, title=title)
    for row in rows:
        found.add_row(row[0].scenario, *(cell(*row) for cell in columns.values()))
    return found


def _slower(rows: Sequence[tuple[Score, Sequence[Score]]]) -> Mapping[str, Cell]:
    return {
        f"slower run, {why}": _slower_by(why) for why in sorted({why for all_, _ in rows for why in all_.slower_by})
    }


def _slower_by(why: str) -> Cell:
    return lambda all_, each: _share(all_.slower_by.get(why, 0), all_.nights, 2)


def _regrets(rows: Sequence[tuple[Score, Sequence[Score]]]) -> Mapping[str, Cell]:
    largest: dict[str, float] = {}
    for all_, _ in rows:
        for why, seconds in all_.regret.items():
            largest[why] = max(largest.get(why, 0.0), seconds / all_.untuned)
    shown = sorted(largest, key=lambda why: -largest[why])[:MOST_WHYS]
    return {why: _lacking(why) for why in shown}


def _lacking(why: str) -> Cell:
    return lambda all_, each: _share(all_.regret.get(why, 0.0), all_.untuned)


def _because(why: str) -> Cell:
    return lambda all_, each: _share(all_.turns.false_rollbacks.get(why, 0), all_.turns.rollbacks)


def as_json(scores: Sequence[Score]) -> dict[str, Any]:
    """The totals by scenario, and of all."""
    return {
        all_.scenario: {
            **asdict(all_),
            "cohorts": len(each),
            "slower_cohorts": sum(s.lost for s in each),
            "worst_ratio": max(s.tuned / s.untuned for s in each),
        }
        for all_, each in _rows(scores)
    }


def _rows(scores: Sequence[Score]) -> Iterator[tuple[Score, Sequence[Score]]]:
    for scenario in SCENARIOS:
        if each := [s for s in scores if s.scenario == scenario.name]:
            yield total(each, scenario.name), each
    yield total(scores, "all"), scores
