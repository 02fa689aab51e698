"""A query's latest plan beside the one without what is in force, or as it would be with what is advised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from tuner.model.action import Action
from tuner.model.plan_picture import PlanPicture, PlanStep
from tuner.model.run import Run
from tuner.panel.facts import CohortFacts
from tuner.panel.models.plan import PictureItem, PlanComparison, StepItem
from tuner.panel.models.queries import QueryItem
from tuner.panel.views.advised_plan import AdvisedPlan, advised_plan
from tuner.panel.views.changed_joins import AS_ADVISED, changed_joins
from tuner.panel.views.in_force import in_force_on_joins, in_words, reaching
from tuner.panel.views.texts import query_ref, shortened
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.measure import seconds_by_query
from tuner.policy.usable import usable
from tuner.words.changes import change_words
from tuner.words.query_names import QueryNames

# Runs whose details are looked at for a picture: the newest have one, or none has one of the query.
RUNS_TRIED = 10

Pictured = tuple[Run, PlanPicture]


def plan_comparison(facts: CohortFacts, fingerprint: str, item: QueryItem | None) -> PlanComparison:
    """The newest picture of each side; None for a side that no run has a picture of, and nothing advised draws."""
    ran = [run for run in reversed(facts.runs) if usable(run) and _ran(run, fingerprint)]
    newest = _newest(facts, fingerprint, ran)
    before, after = newest, None
    if newest is not None and (in_force := {decided.id for decided in reaching(newest[0], fingerprint)}):
        without = (run for run in ran if in_force.isdisjoint(decided.id for decided in reaching(run, fingerprint)))
        before, after = _newest(facts, fingerprint, without), newest
    compared = PlanComparison(query=query_ref(fingerprint, facts.names), item=item, before=None, after=None)
    if after is None and before is not None and (advised := advised_plan(facts, *before)) is not None:
        return _predicted(facts, compared, *before, advised)
    told = _told(after[0], fingerprint) if after else []
    marks_before, marks_after = changed_joins(before[1] if before else None, after[1] if after else None, told)
    return compared.model_copy(
        update={
            "before": _picture_item(*before, marks_before, facts.names) if before else None,
            "after": _picture_item(*after, marks_after, facts.names) if after else None,
        }
    )


def _predicted(
    facts: CohortFacts, compared: PlanComparison, run: Run, picture: PlanPicture, advised: AdvisedPlan
) -> PlanComparison:
    told = [action for decided in advised.changes for action in decided.change.actions]
    marks_before, marks_after = changed_joins(picture, advised.picture, told, AS_ADVISED)
    after = _picture_item(run, advised.picture, marks_after, facts.names)
    drawn = after.model_copy(
        update={
            "predicted": True,
            "query_seconds": None,
            "in_force": in_words(advised.changes, facts.names),
            "not_drawn": [shortened(change_words(decided.change, facts.names)) for decided in advised.not_drawn],
        }
    )
    return compared.model_copy(
        update={"before": _picture_item(run, picture, marks_before, facts.names), "after": drawn}
    )


def _ran(run: Run, fingerprint: str) -> bool:
    return run.outcome is not None and any(query.fingerprint == fingerprint for query in run.outcome.queries)


def _told(run: Run, fingerprint: str) -> list[Action]:
    """What the plan of the query followed."""
    followed = {decided.id for decided in changes_in_effect(run)}
    return [a for d in in_force_on_joins(run, fingerprint) if d.id in followed for a in d.change.carried_out]


def _newest(facts: CohortFacts, fingerprint: str, runs: Iterable[Run]) -> Pictured | None:
    for run in islice(runs, RUNS_TRIED):
        details = facts.details(run)
        for picture in details.pictures if details else ():
            if picture.query == fingerprint:
                return run, picture
    return None


def _picture_item(run: Run, picture: PlanPicture, marks: Mapping[int, str], names: QueryNames) -> PictureItem:
    costliest = costliest_step(picture)
    return PictureItem(
        run_key=run.key,
        run_at=run.started_at,
        query_seconds=seconds_by_query(run).get(picture.query),
        in_force=in_words(reaching(run, picture.query), names),
        steps=[
            _step_item(step, marks.get(position, ""), costliest=position == costliest)
            for position, step in enumerate(picture.steps)
        ],
    )


def costliest_step(picture: PlanPicture) -> int | None:
    """The position of the step that took the most seconds, of several the one that ran last; None where none is known."""
    timed = [(step.seconds, -position) for position, step in enumerate(picture.steps) if step.seconds]
    return -max(timed)[1] if timed else None


def _step_item(step: PlanStep, changed: str, *, costliest: bool) -> StepItem:
    return StepItem(
        kind=step.kind,
        operator=shortened(step.operator),
        label=shortened(step.label),
        rows=step.rows,
        bytes=step.bytes,
        inputs=list(step.inputs),
        strategy=step.strategy.value if step.strategy else "",
        build_side=step.build_side.value if step.build_side else "",
        signature=step.signature,
        occurrence=step.occurrence,
        changed=shortened(changed),
        seconds=step.seconds,
        costliest=costliest,
    )
