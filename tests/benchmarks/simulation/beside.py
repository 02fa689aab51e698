"""Figures of two versions of the policy on the same simulated jobs, one beside the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from rich.table import Table

Figures = Mapping[str, Any]


def beside(before: Mapping[str, Figures], now: Mapping[str, Figures]) -> Table:
    """A row for each scenario that both have; `before` and `now` as `report.as_json` writes them. Figures of other jobs, which
    with other scenarios have the same numbers, are not compared."""
    found = Table("", *_COLUMNS, "of the better of then and always", title="Then, and now")
    for scenario in now:
        if scenario in before:
            pair = before[scenario], now[scenario]
            cells = (*(" → ".join(map(cell, pair)) for cell in _COLUMNS.values()), _kept(*pair))
            found.add_row(scenario, *(cells if _are_same_jobs(*pair) else ("other jobs",)))
    return found


def _are_same_jobs(before: Figures, now: Figures) -> bool:
    """What jobs take untuned is the same whatever the policy is."""
    return before["cohorts"] == now["cohorts"] and math.isclose(before["untuned"], now["untuned"], rel_tol=1e-9)


def _share(part: float, whole: float, digits: int = 1) -> str:
    return f"{part / whole:.{digits}%}" if whole else "-"


def _saved(figures: Figures, policy: str = "tuned") -> float:
    return float(figures["untuned"] - figures[policy])


def _kept(before: Figures, now: Figures) -> str:
    return _share(_saved(now), max(_saved(before), _saved(now, "all_advice")), 0)


def _false_rollbacks(figures: Figures) -> str:
    return _share(sum(figures["turns"]["false_rollbacks"].values()), figures["turns"]["rollbacks"])


_COLUMNS: Mapping[str, Callable[[Figures], str]] = {
    "saved": lambda f: _share(_saved(f), f["untuned"]),
    "of the oracle's": lambda f: _share(_saved(f), _saved(f, "oracle"), 0),
    "rolled back though it gains": _false_rollbacks,
    "promoted though it loses": lambda f: _share(f["turns"]["false_promotions"], f["turns"]["promotions"]),
    "runs over 5 % slower": lambda f: _share(f["slower_runs"], f["nights"], 2),
    "made to fail": lambda f: _share(f["failed_by_tuner"], f["nights"], 2),
}
