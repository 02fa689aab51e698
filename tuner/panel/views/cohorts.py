"""Cohorts in a list, and one on its own page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tuner.history.store import CohortSummary
from tuner.model.decision import CohortState, Mode
from tuner.panel.facts import CohortFacts
from tuner.panel.models import Cohort, CohortItem, ModeSetting, TaskRef
from tuner.panel.views.held import held
from tuner.panel.views.recommendations import recommended_trials, standing_of
from tuner.panel.views.seconds import query_seconds
from tuner.panel.views.state import state_of
from tuner.panel.views.texts import shortened
from tuner.words.decisions import decision_summary


def matching(summaries: Iterable[CohortSummary], search: str, state: CohortState | None) -> list[CohortSummary]:
    """Those with `search` in the cohort's name or that of a DAG or task, in any case, and in this state."""
    wanted = search.strip().casefold()
    return [s for s in summaries if _has(s, wanted) and (state is None or state_of(s.last_decision) is state)]


def cohort_item(summary: CohortSummary, mode: Mode, *, may_act: bool) -> CohortItem:
    return CohortItem(
        cohort=summary.cohort,
        tasks=[TaskRef(dag_id=dag_id, task_id=task_id) for dag_id, task_id in summary.tasks],
        runs=summary.runs,
        state=state_of(summary.last_decision),
        mode=mode,
        last_run_at=summary.last_started_at,
        last_run_state=summary.last_state,
        last_decision=shortened(decision_summary(summary.last_decision)) if summary.last_decision else "",
        may_act=may_act,
    )


def cohort_page(facts: CohortFacts, *, may_act: bool) -> Cohort:
    """Its state is that of the next run, as its recommendations are: with what people said since the latest."""
    item = cohort_item(facts.summary, facts.mode, may_act=may_act)
    latest = facts.view.latest
    # What the machine alone gained or lost is no gain of the tuner's.
    baseline = facts.view.baselines.get(latest.key) if latest and latest.decision.in_force else None
    outcome = latest.outcome if latest else None
    trials = recommended_trials(facts.outlook)
    return Cohort(
        **{**item.model_dump(), "state": state_of(facts.outlook)},
        mode_setting=_mode_setting(facts),
        objective=facts.objective,
        counts=dict(Counter(standing_of(trial) for trial in trials)),
        baseline_seconds=baseline.expected if baseline else None,
        latest_seconds=query_seconds(latest) if latest else None,
        queries=len({query.fingerprint for query in outcome.queries}) if outcome else 0,
        spark_version=outcome.spark_version if outcome else "",
        held=held(facts.runs),
    )


def _mode_setting(facts: CohortFacts) -> ModeSetting:
    newest = facts.mode_changes[-1] if facts.mode_changes else None
    if newest is None or newest.mode is None:
        return ModeSetting(mode=facts.mode)
    return ModeSetting(mode=newest.mode, by=newest.by, at=newest.at, reason=shortened(newest.reason))


def _has(summary: CohortSummary, wanted: str) -> bool:
    names = (summary.cohort, *(name for task in summary.tasks for name in task))
    return not wanted or any(wanted in name.casefold() for name in names)
