"""The demo's table: run by run the seconds of each query, what was changed, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tuner.model.decision import IN_FORCE, TAKEN_OUT, DecidedChange, Standing
from tuner.model.run import Run
from tuner.words.actions import action_words
from tuner.words.decisions import decision_summary
from tuner.words.query_names import QueryNames, names_in
from tuner.words.reasons import why_words

_SHOWN = IN_FORCE | TAKEN_OUT | {Standing.PROPOSED}


@dataclass(frozen=True, slots=True)
class Change:
    """Actions with one standing and one reason."""

    settings: tuple[str, ...]
    standing: Standing
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """One run: seconds by query name, what was in force or rolled back, and the decision in a line."""

    run: int
    seconds: dict[str, float]
    changes: tuple[Change, ...]
    decision: str

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


def rows(runs: Sequence[Run]) -> list[Row]:
    """The rows for the runs of the demo's cohort, oldest first."""
    names = names_in(runs)
    return [_row(number, run, names) for number, run in enumerate(runs, start=1)]


def _row(number: int, run: Run, names: QueryNames) -> Row:
    queries = run.outcome.queries if run.outcome else ()
    seconds: dict[str, float] = {}
    for query in queries:
        if "-query-" in query.description and query.duration_ms is not None:
            seconds[query.description] = seconds.get(query.description, 0.0) + query.duration_ms / 1e3
    return Row(number, seconds, _changes(run.decision.changes, names), decision_summary(run.decision))


def _changes(changes: Iterable[DecidedChange], names: QueryNames) -> tuple[Change, ...]:
    groups: dict[tuple[Standing, str], list[str]] = {}
    for decided in changes:
        if decided.standing in _SHOWN:
            settings = groups.setdefault((decided.standing, why_words(decided, names)), [])
            settings.extend(action_words(action, names) for action in decided.change.actions)
    return tuple(Change(tuple(settings), standing, reason) for (standing, reason), settings in groups.items())


def as_json(found: Sequence[Row]) -> list[dict[str, object]]:
    """The rows as JSON objects."""
    return [
        {
            "run": row.run,
            "seconds": row.seconds,
            "total_seconds": row.total,
            "speed_up": found[0].total / row.total if row.total else None,
            "decision": row.decision,
            "changes": [
                {"settings": list(c.settings), "standing": c.standing.value, "reason": c.reason} for c in row.changes
            ],
        }
        for row in found
    ]
