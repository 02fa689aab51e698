"""Changes to joins of queries that have not run for so long that decisions let go of them: of an edited query its old text's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange
from tuner.model.directive_result import DirectiveStatus
from tuner.model.run import Run
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.instances import runs_of_its_queries
from tuner.policy.record import Record
from tuner.policy.runs_beside import RunsBeside
from tuner.policy.situation import Situation
from tuner.policy.usable import usable

# As many as a decision looks at. What these were decided with is known for as many again: until then a query that comes back
# finds its changes where they stood.
LONGEST_AWAY = HISTORY_RUNS


def not_long_away(situation: Situation, records: Iterable[Record]) -> list[DecidedChange]:
    """The changes on record as they stand, but for those whose query is away for long, and that no person has ruled on. Of an
    instance of a mapped task that asks queries of its own, by its own runs."""
    away = runs_away(runs_of_its_queries(situation.runs, situation.instance))
    found = (replace(record.now, away=away.get(record.decided.change.trial, 0)) for record in records)
    return [d for d in found if d.away < LONGEST_AWAY or situation.verdict(d.change) is not None]


def runs_away(runs: Sequence[Run]) -> dict[str, int]:
    """By trial, for how many measured runs in a row, those side by side as one, none of its changes to joins had its query.

    `runs` are oldest first; what the first of them was decided with tells of those before it. A run without any query says
    nothing, nor does one whose log never came, or breaks off before the query.
    """
    measured, beside = 0, RunsBeside()
    # By trial, how many runs had been measured when its query last ran: less than 0 where that was before these.
    last_ran: dict[str, int] = {}
    trials_of: defaultdict[str, set[str]] = defaultdict(set)
    seen: set[str] = set()
    for run in runs:
        for decided in run.decision.changes:
            if decided.id not in seen and decided.change.is_on_joins:
                seen.add(decided.id)
                last_ran.setdefault(decided.change.trial, measured - decided.away)
                for sign in (decided.id, *decided.queries):
                    trials_of[sign].add(decided.change.trial)
        ran = _ran(run)
        measured += bool(ran) and usable(run) and not beside.add(run)
        last_ran.update(dict.fromkeys((trial for sign in ran for trial in trials_of.get(sign, ())), measured))
    return {trial: measured - last for trial, last in last_ran.items()}


def _ran(run: Run) -> set[str]:
    """The queries of a run (fingerprints), and the changes (ids) whose joins the agent found, and did not hold, in whichever
    query."""
    queries = run.outcome.queries if run.outcome else ()
    told = (one for query in queries for one in query.directives if one.status is not DirectiveStatus.HELD)
    return run.fingerprints | {one.action_id for one in told}
