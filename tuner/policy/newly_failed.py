"""The queries that fail in more of their executions than in any run of late: of many tenants, say, one may always fail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from tuner.model.directive_result import DirectiveStatus
from tuner.model.failure import FailureKind
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome, Run
from tuner.policy.executions import executions
from tuner.policy.usable import usable

# A week of nights: of what fails at random more do in one, fewer in another.
LATEST_RUNS = 7
# Of so many runs the only one in which any failed is an odd one.
ENOUGH_RUNS = 4


@dataclass(frozen=True, slots=True)
class Failures:
    """How often a query `ran` in a run, for how many different values it `failed`, and for how many it did not succeed (`lost`):
    of some the log has no end. Each execution whose values are not known counts. `classes` are those of its values
    (`tuner.policy.literal_classes`) of which none succeeded."""

    ran: int
    failed: int
    lost: int
    classes: frozenset[str]

    def are_more(self, others: Sequence[Failures]) -> bool:
        """Whether it failed more than in any of the other runs, by more than half of what these are apart: in some nights more
        fails at random. In proportion where it ran more often than in any of them."""
        lost, most_ran = [one.lost for one in others], max(one.ran for one in others)
        most = max(lost) + (max(lost) - min(lost)) // 2
        return self.failed * most_ran > most * max(self.ran, most_ran)


def newly_failed(run: Run, earlier: Sequence[Run]) -> list[str]:
    """The queries that failed anew in a job that went on. `earlier` are oldest first."""
    if not usable(run):
        return []
    failed = dict.fromkeys(q.fingerprint for q in executions(run) if q.status is QueryStatus.FAILED)
    return [query for query in failed if fails_anew(query, run, usual_failures(query, earlier))]


def fails_anew(query: str, run: Run, usual: Sequence[Failures]) -> bool:
    """Whether a query failed more than `usual`, which is empty for one that ran in no earlier run: that did not."""
    return bool(usual) and _failures(run, query).are_more(usual)


def usual_failures(query: str, earlier: Sequence[Run]) -> list[Failures]:
    """Those of the latest runs (`LATEST_RUNS`) that came to their end and had a query. Runs in which it failed anew with changes
    in force are none of them until one with these did not: they may have made it. Where all of twice as many runs fail so, it is
    usual all the same. The only one of some in which it failed is none, either: else a change could fail each night what failed
    once of late."""
    had = ((one, found) for one in reversed(earlier) if usable(one) and (found := _failures(one, query)).ran)
    usual: list[Failures] = []
    suspect: list[tuple[frozenset[str], Failures]] = []
    for run, found in reversed(list(islice(had, 2 * LATEST_RUNS))):
        changes = frozenset(decided.id for decided in run.decision.in_force)
        if changes and usual and found.are_more(_latest(usual)):
            suspect.append((changes, found))
            continue
        usual += [failed for those, failed in suspect if those <= changes]
        suspect = [one for one in suspect if not one[0] <= changes]
        usual.append(found)
    return _latest(usual)


def _latest(usual: Sequence[Failures]) -> list[Failures]:
    latest = list(usual[-LATEST_RUNS:])
    failed = [one for one in latest if one.lost]
    if len(failed) == 1 and len(latest) >= ENOUGH_RUNS:
        latest.remove(failed[0])
    return latest


def fails_for_new_values(query: str, run: Run, execution_id: int, usual: Iterable[Failures]) -> bool:
    """Whether an execution of a query, or one below it, failed for values that it did not fail for in `usual`."""
    failed = (q for q in executions(run, query) if execution_id in (q.id, q.root_id))
    known = frozenset[str]().union(*(one.classes for one in usual))
    return all(q.literals not in known for q in failed if q.status is QueryStatus.FAILED)


def _failures(run: Run, query: str) -> Failures:
    """But for what came no more when the job asked the same again."""
    ran = list(executions(run, query))
    lost = [q for q in ran if not (q.status is QueryStatus.SUCCEEDED or q.was_cut or _passed(q, run.outcome))]
    failed = (q for q in lost if q.status is QueryStatus.FAILED)
    passed = {"", *(q.literals for q in ran if q.status is QueryStatus.SUCCEEDED)}
    return Failures(len(ran), _different(failed), _different(lost), frozenset(q.literals for q in lost) - passed)


def _different(several: Iterable[Query]) -> int:
    """How many by their values: a job may repeat what failed."""
    return len({query.conditions or query.id for query in several})


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
