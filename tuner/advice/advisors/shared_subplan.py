"""Advisor: compute once, by the agent, the groups that a query makes several times of the same joins.

Only where what is left out is clearly more than what it takes each reader to leave out the groups of the others: Spark itself
keeps every copy apart (InlineCTE), since pruning each can be worth more than sharing (SPARK-39438).
"""

from __future__ import annotations

from collections.abc import Iterator

from tuner.advice.candidates.query_gain import is_worth_it, predict_saving
from tuner.advice.candidates.shared_groups import SharedGroups, shared_groups
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.model.action import Action
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.relation import short_name

MIN_GAIN_SECONDS = 0.3
MIN_GAIN_SHARE = 0.05


def advise_shared_subplans(facts: Facts) -> Iterator[Change]:
    """One change for each kind of groups that is made several times, where the agent can make them once."""
    worth: dict[Action, tuple[SharedGroups, Prediction]] = {}
    for groups in shared_groups(facts):
        query, action = groups.query, groups.action(groups.subplan.join)
        foretold = predict_saving(query, groups.saved, groups.added, facts.price_error)
        if not is_worth_it(foretold.gain, [query], MIN_GAIN_SECONDS, MIN_GAIN_SHARE, times_in_run(facts, query)):
            continue
        if action not in worth or foretold.gain > worth[action][1].gain:
            worth[action] = groups, foretold
    yield from (_change(action, *of_it) for action, of_it in worth.items())


def _change(action: Action, groups: SharedGroups, prediction: Prediction) -> Change:
    query, found, saved, added = groups.query, groups.subplan, groups.saved, groups.added
    names = " and ".join(map(short_name, found.relations))
    return Change.of(
        actions=(action,),
        queries=(query.fingerprint,),
        reason=Reason(
            ReasonCode.SHARED_SUBPLAN,
            {
                "relations": names,
                "times": found.times,
                "rows": found.scanned_rows,
                "group_rows": found.rows,
                "added_seconds": added,
                "gain_seconds": prediction.gain,
            },
        ),
        evidence=(
            Evidence("times they were made", found.times, "times", names),
            Evidence("rows read each time, of the largest relation", found.scanned_rows, "rows", names),
            Evidence("rows that all handed to their shuffles", found.rows, "rows", names),
            Evidence("reading and joining but once", saved, "seconds"),
            Evidence("reading the groups of all in each place", added, "seconds"),
        ),
        prediction=prediction,
        risk=Risk.LOW,
        advisor="shared_subplan",
    )
