"""Cohorts in a list, and one on its own page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tuner.history.cohort_rows import CohortSummary
from tuner.model.cohort_stance import stance_of
from tuner.model.decision import CohortState, Mode
from tuner.model.trial import standing_of
from tuner.panel.cohort_list import CohortTotals, totals
from tuner.panel.facts import CohortFacts
from tuner.panel.models.cohort import Cohort, ModeSetting
from tuner.panel.models.cohort_list import CohortItem, CohortTotalsItem, TaskRef
from tuner.panel.models.gain import GainItem
from tuner.panel.views.held import held
from tuner.panel.views.recommendations import recommended_trials
from tuner.panel.views.texts import shortened
from tuner.panel.views.turned import turned
from tuner.policy.measure import is_reached, query_seconds
from tuner.units import cost_of
from tuner.words.decisions import decision_summary
from tuner.words.sizes import given_back_words


def cohort_item(summary: CohortSummary, *, may_act: bool, core_hour_price: float | None = None) -> CohortItem:
    figures, stance = summary.figures, summary.stance
    gained = figures.gained if figures else None
    return CohortItem(
        cohort=summary.cohort,
        tasks=[TaskRef(dag_id=dag_id, task_id=task_id) for dag_id, task_id in summary.tasks],
        tags=list(summary.tags),
        runs=summary.runs,
        state=stance.state,
        mode=stance.mode,
        in_force=stance.in_force,
        waiting=stance.waiting,
        last_run_at=summary.last_started_at,
        last_run_state=summary.last_state,
        last_ended_state=summary.last_round.state if summary.last_round else None,
        last_round_at=summary.last_round.started_at if summary.last_round else None,
        last_has_ended=summary.last_has_ended,
        measured_at=figures.measured_at if figures else None,
        is_measured=summary.is_measured,
        query_seconds=figures.query_seconds if figures else None,
        application_seconds=figures.application_seconds if figures else None,
        core_hours=figures.core_hours if figures else None,
        gib_hours=figures.gib_hours if figures else None,
        cost=cost_of(figures.core_hours if figures else None, core_hour_price),
        gained=GainItem.of(figures.query_seconds, gained) if figures and gained else None,
        trend=list(figures.trend) if figures else [],
        may_act=may_act,
    )


def totals_item(listed: Sequence[CohortSummary], core_hour_price: float | None) -> CohortTotalsItem:
    found: CohortTotals = totals(listed)
    return CohortTotalsItem(
        known=found.known,
        measured=found.measured,
        query_seconds=found.query_seconds,
        core_hours=found.core_hours,
        cost=cost_of(found.core_hours, core_hour_price),
        tuned=found.tuned,
        gained=GainItem.of(found.tuned_seconds, found.gained),
        waiting=found.waiting,
        failed=found.failed,
    )


def cohort_page(facts: CohortFacts, *, may_act: bool, core_hour_price: float | None = None) -> Cohort:
    """Its state is that of the next run, as its recommendations are: with what people said since the latest."""
    item = cohort_item(facts.listed, may_act=may_act, core_hour_price=core_hour_price)
    latest = facts.view.latest
    # What the machine alone gained or lost is no gain of the tuner's.
    baseline = facts.view.baselines.get(latest.key) if latest and is_reached(latest) else None
    outcome = latest.outcome if latest else None
    trials = recommended_trials(facts.outlook)
    return Cohort(
        **{**item.model_dump(), **_now(facts)},
        mode_setting=_mode_setting(facts),
        objective=facts.objective,
        next_decision=shortened(decision_summary(facts.outlook)) if facts.outlook and facts.is_on else "",
        next_decision_may_change=facts.outlook_may_change,
        counts=dict(Counter(standing_of(trial) for trial in trials)),
        baseline_seconds=baseline.expected if baseline else None,
        latest_seconds=query_seconds(latest) if latest else None,
        queries=len({query.fingerprint for query in outcome.queries}) if outcome else 0,
        spark_version=outcome.spark_version if outcome else "",
        held=held(facts.runs),
        turned=turned(facts.view.turning_points),
    )


def _now(facts: CohortFacts) -> dict[str, object]:
    """Where it stands, as its outlook tells: what a list has of it may be older. Nothing is in force where the tuner is off."""
    stance = stance_of(facts.outlook) if facts.outlook else facts.summary.stance
    if not facts.is_on:
        stance = replace(stance, state=CohortState.OBSERVING, in_force=0, waiting=0)
    return {"state": stance.state, "mode": facts.mode, "in_force": stance.in_force, "waiting": stance.waiting}


def _mode_setting(facts: CohortFacts) -> ModeSetting:
    newest, off, back = facts.mode_changes[-1] if facts.mode_changes else None, facts.off, _given_back(facts)
    if newest is None or newest.mode is None:
        return ModeSetting(mode=facts.mode, is_known=facts.mode_is_known, off=off, gives_back=back)
    said = shortened(newest.reason)
    return ModeSetting(mode=newest.mode, by=newest.by, at=newest.at, reason=said, off=off, gives_back=back)


def _given_back(facts: CohortFacts) -> dict[Mode, list[str]]:
    """What each mode would take back of the next run's sizes."""
    if facts.outlook is None or not facts.outlook.sizes:
        return {}
    then = {mode: facts.outlook_in(mode) for mode in Mode}
    found = {mode: given_back_words(facts.outlook, decision) for mode, decision in then.items() if decision}
    return {mode: [shortened(each) for each in words] for mode, words in found.items() if words}
