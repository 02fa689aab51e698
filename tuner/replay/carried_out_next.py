"""What a live run that goes on from imported logs could carry out of the decision for it.

A log tells how large the planner took relations for only where `spark.sql.ui.explainMode` was `cost`, as the tuner submits
jobs: of others the agent cannot be told within which sizes a hint or an order holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tuner.advice.steering_reach import Reach, reach_of
from tuner.loop.next_decision import facts_now
from tuner.loop.told_to_agent import told_to_agent
from tuner.loop.undirectable import undirectable
from tuner.model.decision import Decision, Mode
from tuner.model.reason import Reason
from tuner.policy.held_back import held_back_for
from tuner.policy.known_queries import newest_of_each
from tuner.problems import Problems
from tuner.replay.cohort_replay import CohortReplay, LoggedRun
from tuner.replay.newest_run import newest_whole
from tuner.replay.run_in_effect import run_in_effect
from tuner.spark.version import major_minor


def carried_out_next(cohort: CohortReplay, logged: Iterable[LoggedRun], problems: Problems) -> CohortReplay:
    """The same, with what the agent could not be told of held; as it is where that cannot be found out."""
    decision = cohort.next
    if not any(decided.change.is_on_joins for decided in decision.in_force):
        return cohort
    held = problems.guard("look at what the agent can be told", lambda: _untold(decision, logged), dict[str, Reason]())
    return replace(cohort, next=replace(decision, changes=tuple(held_back_for(decision.changes, held))))


def _untold(decision: Decision, logged: Iterable[LoggedRun]) -> dict[str, Reason]:
    """Changes in force that the agent could not be told of, by id, and why."""
    runs = [run_in_effect(Decision(Mode.OBSERVE, ()), run) for run in newest_whole(logged)]
    facts = facts_now(runs, Reach.AGENT, Problems())
    if facts is None or reach_of(major_minor(facts.spark_version), agent=True, text=False) is not Reach.AGENT:
        return {}
    return undirectable(decision, told_to_agent(decision, facts, newest_of_each(runs)).skipped)
