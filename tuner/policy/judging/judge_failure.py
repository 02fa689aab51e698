"""The changes in force in a run that failed, or of which a query did; and those that a run with them clears of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Standing
from tuner.model.run import Run
from tuner.policy.end_of_run import end_of_run
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.failed_run import FailedRun, after_failure
from tuner.policy.judging.ledger_state import LedgerState, Suspicion
from tuner.policy.judging.put_on_record import put_on_record
from tuner.policy.lost_values import where_it_does_not_fail

# A run had as much to read as another if it read no less than this share of what that did.
LIKE_INPUT = 0.9


def judge_failure(ledger: LedgerState, failed: FailedRun, in_force: Sequence[DecidedChange]) -> None:
    """Of a query that failed while the job went on, times have been judged; only what it says itself is added."""
    last_trials = {d.id for d in in_force if ledger.trials(d) >= MAX_TRIALS}
    suspected = {id_ for id_, suspicion in ledger.suspected.items() if suspicion.is_known_to(failed.run)}
    failed = replace(failed, last_trials=last_trials, suspected=suspected)
    for said in after_failure(failed, in_force):
        id_ = said.decided.id
        if said.cleared:
            ledger.cleared.add(id_)
        if said.suspected_bytes is not None:
            ledger.suspected[id_] = Suspicion(end_of_run(failed.run), said.suspected_bytes)
        query = failed.query or (failed.failure.query if failed.failure else None)
        rolled_back = said.standing is Standing.ROLLED_BACK
        left = where_it_does_not_fail(said.decided, failed.run, query, ledger.met) if rolled_back and query else None
        if left is not None:
            put_on_record(ledger, failed.run, left, left.standing, left.why, counts=False)
        elif failed.query is None or rolled_back or (said.suspect and said.standing is Standing.TRIAL):
            put_on_record(ledger, failed.run, said.decided, said.standing, said.why, counts=said.counts)


def absolve(ledger: LedgerState, run: Run, failed: Collection[str], in_force: Sequence[DecidedChange]) -> None:
    """A run that succeeded with a suspect clears it, if it began after the one that failed had ended, and had as much to read;
    but for a suspect of whose queries one `failed` anew in it."""
    size = max(1, ledger.lost_with.input_bytes)
    for decided in in_force:
        suspicion = ledger.suspected.get(decided.id)
        if suspicion is None or not suspicion.is_known_to(run) or not set(decided.queries).isdisjoint(failed):
            continue
        if size >= LIKE_INPUT * suspicion.input_bytes:
            del ledger.suspected[decided.id]
