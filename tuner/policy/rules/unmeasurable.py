"""What could not be measured is not tried: no run would show whether it is worth it."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.held_back import held_back
from tuner.policy.measure import usable
from tuner.policy.situation import Situation

# Runs in a row whose queries had values that none before them had.
RUNS = 2


def unmeasurable(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds properties on trial that are meant for queries with other values in each run, where these move rows: there is no
    run without it to hold one with it against. Once it is learned that the values do not count (`neutral_columns`), there is.

    What a person has asked for waits for nothing. A change to a join acts only on values that were measured.
    """
    tried = {d.id for d in decided if _is_tried(d) and d.queries and not situation.is_asked_for(d.change)}
    if not tried:
        return list(decided)
    new_in_each = _new_in_each_run(situation.runs)
    reason = Reason(ReasonCode.OTHER_VALUES_IN_EACH_RUN, {"runs": RUNS})
    return [held_back(d, reason) if d.id in tried and new_in_each.issuperset(d.queries) else d for d in decided]


def _is_tried(decided: DecidedChange) -> bool:
    return decided.standing is Standing.TRIAL and not decided.change.is_on_joins


def _new_in_each_run(runs: Sequence[Run]) -> set[str]:
    """The fingerprints of queries whose values were all new in each of the latest runs that had them."""
    seen: dict[str, set[str]] = {}
    in_a_row: dict[str, int] = {}
    for run in filter(usable, runs):
        classes: dict[str, set[str]] = {}
        for query in run.outcome.queries if run.outcome else ():
            classes.setdefault(query.fingerprint, set()).add(query.literals)
        for fingerprint, now in classes.items():
            before = seen.setdefault(fingerprint, set())
            are_new = "" not in now and before.isdisjoint(now)
            in_a_row[fingerprint] = in_a_row.get(fingerprint, 0) + 1 if are_new else 0
            before |= now
    return {fingerprint for fingerprint, count in in_a_row.items() if count >= RUNS}
