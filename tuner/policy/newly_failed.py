"""The queries that fail in a run, and did not before: where one runs for each of many values, those of the same values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from tuner.model.directive_result import DirectiveStatus
from tuner.model.failure import FailureKind
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome, Run
from tuner.policy.measure import executions, usable

_FAILED = frozenset({QueryStatus.FAILED})
_WITHOUT_SUCCESS = frozenset({QueryStatus.FAILED, QueryStatus.UNFINISHED})


def newly_failed(run: Run, earlier: Sequence[Run]) -> list[str]:
    """The queries that failed anew in a job that went on."""
    if not usable(run):
        return []
    failed = dict.fromkeys(q.fingerprint for q in executions(run) if q.status is QueryStatus.FAILED)
    return [query for query in failed if fails_anew(query, run, earlier)]


def fails_anew(query: str, run: Run, earlier: Sequence[Run]) -> bool:
    """Whether a query failed for values that it succeeded for in the last of the `earlier` runs that came to their end and had
    it, and for more such than come right again. Values that this one had not (a day is in them), or that nobody knows, are held
    by their number against those that failed in it and are not in this run."""
    now = _failures(run, query, _FAILED)
    if not any(now.values()):
        return False
    told = (_failures(one, query, _WITHOUT_SUCCESS) for one in reversed(earlier) if usable(one))
    before = next(filter(None, told), None)
    if before is None:
        return False
    both = (now.keys() & before.keys()) - {""}
    anew = sum(now[values] > before[values] for values in both)
    right_again = sum(now[values] < before[values] for values in both)
    others = sum(now[values] for values in now.keys() - both) - sum(before[values] for values in before.keys() - both)
    return anew + max(0, others) > right_again


def _failures(run: Run, query: str, statuses: Container[QueryStatus]) -> dict[str, int]:
    """By class of values (`tuner.policy.literal_classes`) whether the query ended so in any of its executions; of unknown values
    ("") in how many. But for what came no more when the job asked the same again."""
    found = Counter[str]()
    for execution in executions(run, query):
        if not _passed(execution, run.outcome):
            found[execution.literals] += execution.status in statuses
    return {values: min(1, times) if values else times for values, times in found.items()}


def _passed(failed: Query, outcome: Outcome | None) -> bool:
    """Whether an error of data or code came no more when the job ran the query again, with the same values and changes: a service
    that a function calls, say. What a change lets rows raise comes each time; memory and time may lack once."""
    why = outcome.failure if outcome else None
    if why is None or why.kind is not FailureKind.DATA_OR_CODE or why.execution_id != failed.id or not failed.literals:
        return False
    return any(
        again.id > failed.id
        and again.status is QueryStatus.SUCCEEDED
        and (again.fingerprint, again.literals) == (failed.fingerprint, failed.literals)
        and all(of.status is DirectiveStatus.APPLIED for of in again.directives)
        for again in (outcome.queries if outcome else ())
    )
