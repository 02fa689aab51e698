"""What the next run is to be without, since no run would ever tell what it does: the change is held out until one has told."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.awaited_run import awaited_run
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.instances import are_of_others
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.record import Record
from tuner.policy.unmeasured import are_new, most_unmeasured
from tuner.policy.unseen_ends import in_runs_not_ended
from tuner.policy.usable import usable

# Each is to be left out once in so many runs, as many as a decision looks at: of more changes several at once.
RUNS_IN_TURN = HISTORY_RUNS


# By the id of a change: the place of the run since which it is due, and its trial.
_Due = Mapping[str, tuple[int, str]]


def hold_out_if_unmeasured(ledger: LedgerState, run: Run, decided: DecidedChange) -> None:
    """Leaves the next run without a property that may lose on values which came after it: no run would ever tell. So it does with
    what is proven, once no run is left that was without it."""
    record, standing = ledger.records[decided.id], decided.standing
    queries = most_unmeasured(record.unmeasured, decided.id, ledger.measured, standing)
    if not queries or record.held_out is not None or decided.failed_without:
        return
    history, why = ledger.histories.of(run), None
    if standing is Standing.PROMOTED and not any(history.ever_without(query, decided.id) for query in queries):
        if _would_cost_too_much(ledger, decided):
            return
        why = Reason(ReasonCode.LONG_IN_FORCE, {"run": run.key})
    elif not decided.change.is_on_joins and are_new(record.unmeasured, queries, standing):
        why = Reason(ReasonCode.NO_RUN_WITHOUT, {"run": run.key})
    if why:
        awaits = awaited_run(decided.id, queries, ledger.measured, history)
        ledger.records[decided.id] = replace(record, held_out=why, awaits=awaits)


def hold_out_one_at_a_time(
    records: dict[str, Record],
    runs: Sequence[Run],
    of_others: frozenset[str] = frozenset(),
    now: datetime | None = None,
) -> None:
    """Of what is left out since it has been in force for long, the next run is without that alone which was tried together: first
    what is out already. What waits for a query that the runs without it did not have keeps nothing else from its turn. While a
    run is without it that may go on `now`, the others have it: mapped instances, dates of a backfill. What is for queries
    `of_others` is left out where these run."""
    places = {run.key: place for place, run in enumerate(runs)}
    mine = {id_: record for id_, record in records.items() if not are_of_others(record.decided.queries, of_others)}
    due = {
        id_: (places[str(why.numbers["run"])], record.decided.change.trial)
        for id_, record in mine.items()
        if (why := record.held_out) and why.code is ReasonCode.LONG_IN_FORCE
    }
    out = _out_now(due, _waiting(due, mine, runs), mine)
    out_in_another = in_runs_not_ended(runs, now, lambda run: run.decision.left_out_for_long)
    for id_, (_, trial) in due.items():
        if trial not in out or id_ in out_in_another:
            records[id_] = replace(records[id_], held_out=None)


def _waiting(due: _Due, records: Mapping[str, Record], runs: Sequence[Run]) -> set[str]:
    """The trials of joins that a run was without since they are due, which had none of their queries. A property that is out
    reaches all that runs."""
    without = {id_: place for place, run in enumerate(runs) if usable(run) for id_ in run.decision.left_out_for_long}
    late = {id_: trial for id_, (place, trial) in due.items() if without.get(id_, -1) > place}
    return {trial for id_, trial in late.items() if records[id_].decided.change.is_on_joins}


def _out_now(due: _Due, waiting: Collection[str], records: Mapping[str, Record]) -> set[str]:
    """The trials that the next run is without: those that wait, and the first ones due, of joins of other queries each; a
    property is the only one of these."""
    changes: dict[str, list[DecidedChange]] = {}
    for id_, (_, trial) in sorted(due.items(), key=itemgetter(1)):
        changes.setdefault(trial, []).append(records[id_].decided)
    proven = {record.decided.change.trial for record in records.values() if record.standing is Standing.PROMOTED}
    most = len(waiting) + math.ceil(len(proven) / RUNS_IN_TURN)
    out, queries = set(waiting), {query for trial in waiting for one in changes[trial] for query in one.queries}
    for trial, tried in changes.items():
        own = {query for one in tried for query in one.queries}
        is_property = not all(one.change.is_on_joins for one in tried)
        if trial in waiting or not queries.isdisjoint(own) or (is_property and len(out) > len(waiting)):
            continue
        out.add(trial)
        queries |= own
        if is_property or len(out) == most:
            break
    return out


def _would_cost_too_much(ledger: LedgerState, decided: DecidedChange) -> bool:
    """Whether a run might come to no good end without a change: it keeps a query from failing, or the run would take more than
    twice as long."""
    change = decided.change
    foretold = change.prediction.gain if change.prediction else 0.0
    gained = foretold if decided.gained_seconds is None else decided.gained_seconds
    return change.secures or gained > sum(query.seconds for query in ledger.measured)
