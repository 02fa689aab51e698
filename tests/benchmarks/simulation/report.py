"""Scores as one table, and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from tests.benchmarks.simulation.scenario import SCENARIOS
from tests.benchmarks.simulation.score import Score, total


def _share(part: float, whole: float, digits: int = 1) -> str:
    return f"{part / whole:.{digits}%}" if whole else "-"


# Each row: its name, and what it says of cohorts together (`all`) and one by one (`each`).
_ROWS: tuple[tuple[str, Callable[[Score, Sequence[Score]], str]], ...] = (
    ("cohorts", lambda all_, each: f"{len(each):,}"),
    ("hours untuned", lambda all_, each: f"{all_.untuned / 3600:,.0f}"),
    ("saved by the tuner", lambda all_, each: _share(all_.untuned - all_.tuned, all_.untuned)),
    ("saved by all advice, always", lambda all_, each: _share(all_.untuned - all_.all_advice, all_.untuned)),
    ("saved by an oracle", lambda all_, each: _share(all_.untuned - all_.oracle, all_.untuned)),
    ("regret, hours", lambda all_, each: f"{(all_.tuned - all_.oracle) / 3600:,.0f}"),
    ("regret, of the oracle's seconds", lambda all_, each: _share(all_.tuned - all_.oracle, all_.oracle)),
    ("runs over 5 % slower", lambda all_, each: _share(all_.slower_runs, all_.nights, 2)),
    ("  seconds they lost, of all", lambda all_, each: _share(all_.slower_seconds, all_.untuned, 2)),
    ("queries over 5 % slower", lambda all_, each: _share(all_.slower_queries, all_.queries, 2)),
    ("runs the tuner made fail", lambda all_, each: _share(all_.failed_by_tuner, all_.nights, 2)),
    ("cohorts slower in all", lambda all_, each: _share(sum(s.lost for s in each), len(each))),
    ("  the worst", lambda all_, each: f"{max(s.tuned / s.untuned for s in each):.2f}x"),
    ("changes tried, a cohort", lambda all_, each: f"{all_.turns.trials / len(each):.1f}"),
    ("rolled back", lambda all_, each: f"{all_.turns.rollbacks:,}"),
    ("  though it gained over 5 %", lambda all_, each: _false_rollbacks(all_)),
    ("promoted", lambda all_, each: f"{all_.turns.promotions:,}"),
    ("  though it lost over 5 %", lambda all_, each: _share(all_.turns.false_promotions, all_.turns.promotions)),
    ("nights proven", lambda all_, each: f"{all_.turns.proven_nights:,}"),
    ("  though it lost over 5 %", lambda all_, each: _share(all_.turns.losing_nights, all_.turns.proven_nights, 2)),
    ("nights to 90 % of the gain", lambda all_, each: "-" if all_.nights_to_gain is None else str(all_.nights_to_gain)),
)


def table(scores: Sequence[Score], title: str) -> Table:
    """A column for each scenario, and one for all."""
    columns = list(_columns(scores))
    found = Table("", *(all_.scenario for all_, _ in columns), title=title)
    for name, cell in _ROWS:
        found.add_row(name, *(cell(*column) for column in columns))
    for why in sorted({why for all_, _ in columns for why in all_.turns.false_rollbacks}):
        found.add_row(
            f"    {why}", *(_share(a.turns.false_rollbacks.get(why, 0), a.turns.rollbacks) for a, _ in columns)
        )
    return found


def as_json(scores: Sequence[Score]) -> dict[str, Any]:
    """The totals by scenario, and of all."""
    return {
        all_.scenario: {
            **asdict(all_),
            "cohorts": len(each),
            "slower_cohorts": sum(s.lost for s in each),
            "worst_ratio": max(s.tuned / s.untuned for s in each),
        }
        for all_, each in _columns(scores)
    }


def _columns(scores: Sequence[Score]) -> Iterator[tuple[Score, Sequence[Score]]]:
    for scenario in SCENARIOS:
        if each := [s for s in scores if s.scenario == scenario.name]:
            yield total(each, scenario.name), each
    yield total(scores, "all"), scores


def _false_rollbacks(all_: Score) -> str:
    return _share(sum(all_.turns.false_rollbacks.values()), all_.turns.rollbacks)
