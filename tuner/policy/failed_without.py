"""What a run failed without, which had been in force when others succeeded."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.model.failure import FailureKind
from tuner.model.run import Run, RunState
from tuner.policy.held_out import held_out
from tuner.policy.never_started import lacks_new_jar
from tuner.policy.newly_failed import newly_failed
from tuner.policy.suspects import from_outside


def failed_without(run: Run, earlier: Sequence[Run] = ()) -> list[DecidedChange]:
    """What was left out to compare of a run that failed, or of which a query did that it reaches. `earlier` are oldest first."""
    out = held_out(run)
    queries = _failed_queries(run, earlier) if out else []
    return [d for d in out if any(query is None or _reaches(d, query) for query in queries)]


def _reaches(decided: DecidedChange, query: str) -> bool:
    return not decided.change.is_on_joins or query in decided.queries


def _failed_queries(run: Run, earlier: Sequence[Run]) -> list[str | None]:
    """The queries of which a run tells that they failed, and did not in the one before; of a run that did itself, the one that
    made that: None where that is not known, or where its log never came. Nothing where it failed from outside, but for what
    somebody ended: it may have taken too long for him."""
    if lacks_new_jar(run, earlier):
        return []
    if run.state not in (RunState.FAILED, RunState.LOST):
        return [*newly_failed(run, earlier)]
    failure = run.failure
    if failure is not None and from_outside(failure) and failure.kind is not FailureKind.KILLED:
        return []
    return [failure.query if failure else None]
