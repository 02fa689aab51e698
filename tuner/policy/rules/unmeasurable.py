"""What could not be measured is not tried: no run would show whether it is worth it."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.held_back import held_back_for
from tuner.policy.passing_queries import passing_queries
from tuner.policy.situation import Situation
from tuner.policy.usable import usable

# Runs in a row whose queries had values that none before them had.
RUNS = 2
# What gains less of its query than this is not told from what other values do to it.
LARGE = 0.2


def unmeasurable(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds properties on trial that are meant for queries with other values in each run, where these move rows, or for such
    that hardly come back: there is no run without it to hold one with it against. Once it is learned that the values do not
    count (`neutral_columns`), there is.

    What a person has asked for waits for nothing. A change to a join acts only on values that were measured, or, where these are
    others in each run (`fleeting_columns`), on any if it is an order; what is none, or is to gain little, is held, too.
    """
    trials = [d for d in decided if d.standing is Standing.TRIAL and not situation.is_asked_for(d.change)]
    if not trials:
        return list(decided)
    passing = passing_queries(situation.runs)
    only_joins = all(d.change.is_on_joins for d in trials)
    untold = passing if only_joins else passing | _new_in_each_run(situation.runs)
    held = {d.id: why for d in trials if (why := _why_held(d, passing, untold))}
    return held_back_for(decided, held)


def _why_held(decided: DecidedChange, passing: frozenset[str], untold: frozenset[str]) -> Reason | None:
    """None where runs can tell what a change does. `untold` are the passing queries, and those with other values in each run."""
    if decided.queries and passing.issuperset(decided.queries):
        return Reason(ReasonCode.QUERIES_DO_NOT_COME_BACK)
    return Reason(ReasonCode.OTHER_VALUES_IN_EACH_RUN, {"runs": RUNS}) if _is_blind(decided, untold) else None


def _is_blind(decided: DecidedChange, untold: frozenset[str]) -> bool:
    """Of a property, whether it is meant for such queries alone; of a change to a join, whether it acts on any values, and gains
    too little for that."""
    if not decided.change.is_on_joins:
        return bool(decided.queries) and untold.issuperset(decided.queries)
    predicted = decided.change.prediction
    is_large = predicted is None or predicted.gain >= LARGE * predicted.before
    return bool(decided.fleeting) and not (decided.literals and is_large)


def _new_in_each_run(runs: Sequence[Run]) -> set[str]:
    """The fingerprints of queries whose values were all new in each of the latest runs that had them."""
    seen: dict[str, set[str]] = {}
    in_a_row: dict[str, int] = {}
    for run in filter(usable, runs):
        classes: dict[str, set[str]] = {}
        fleeting: set[str] = set()
        for query in run.outcome.queries if run.outcome else ():
            classes.setdefault(query.fingerprint, set()).add(query.literals)
            fleeting |= {query.fingerprint} if query.fleeting else set()
        for fingerprint, now in classes.items():
            before = seen.setdefault(fingerprint, set())
            are_new = fingerprint in fleeting or ("" not in now and before.isdisjoint(now))
            in_a_row[fingerprint] = in_a_row.get(fingerprint, 0) + 1 if are_new else 0
            before |= now
    return {fingerprint for fingerprint, count in in_a_row.items() if count >= RUNS}
