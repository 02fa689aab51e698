"""A decision, and what carries it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tuner.loop.event_log_place import EventLogPlace
from tuner.loop.shared_directives import shared_with
from tuner.loop.turn import JobToRun
from tuner.model.decision import Decision, Mode
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.size_change import Resources
from tuner.problems import Problems
from tuner.steering.agent.agent_directives import AgentDirectives
from tuner.steering.agent.build_ahead import build_ahead
from tuner.steering.directives import Directives, Steering
from tuner.steering.directives_of_decision import by_agent, by_conf, only_carried_out
from tuner.steering.steering_method import SteeringMethod
from tuner.steering.submit_conf import observing_conf


@dataclass(frozen=True, slots=True)
class Steered:
    """A decision, and what carries it out: `conf` is all that is added to the submit."""

    decision: Decision
    directives: Directives = field(default_factory=Directives)
    conf: Mapping[str, str] = field(default_factory=dict)
    taught: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


def steered(
    job: JobToRun,
    place: EventLogPlace,
    decided: Decision,
    directives: Directives,
    taught: str,
    names: Mapping[str, str],
) -> Steered:
    """A decision as far as its directives carry it out."""
    decision = only_carried_out(decided, directives)
    directives = replace(directives, sizes={one.property: one.value for one in decision.sizes})
    conf = submit_conf(job, decision, directives, place)
    return Steered(decision, directives, conf, taught, names_of_changed(decided, names))


def unsteered(job: JobToRun, place: EventLogPlace, why: str = "") -> Steered:
    """A run in which nothing is in force, and why."""
    code = ReasonCode.UNSTEERED if place.directory else ReasonCode.UNOBSERVED
    decision = _without_changes(job, Reason(code, {"why": place.why or why}))
    return Steered(decision, conf=submit_conf(job, decision, Directives(), place))


def undecided(job: JobToRun) -> Decision:
    """The decision of a run that could not even be told why it is unsteered."""
    return _without_changes(job, Reason(ReasonCode.UNSTEERED, {"why": ""}))


def _without_changes(job: JobToRun, why: Reason) -> Decision:
    return Decision(job.mode, (), unsteered=why, steering_off=job.steering is Steering.OFF)


def carry_out(
    job: JobToRun,
    way: SteeringMethod,
    decision: Decision,
    told: Callable[[], AgentDirectives],
    queries: Callable[[], Sequence[Query]],
    ran_version: str,
    problems: Problems,
) -> Directives:
    """The directives, with what the agent is told; by conf alone where it cannot be handed over after all. `ran_version` is the
    Spark of the cohort's latest run ("" if unknown).

    Its hints are left then, out of SQL text too: they were advised for who looks at sizes and conditions before a join is hinted.
    """
    if way.steering is Steering.OFF:
        return Directives(steering=Steering.OFF)
    if (route := way.route) is not None:
        by = problems.guard(
            "steer by the agent",
            lambda: by_agent(decision, job.user_conf, told(), route, job.order_sensitive),
            None,
        )
        if by is not None:
            return by
        return by_conf(decision, job.user_conf, (), (), "", "it could not be handed over")
    version = job.submission.spark_version or ran_version
    return by_conf(decision, job.user_conf, job.statements, queries() if job.statements else (), version, way.why)


def sharing(way: SteeringMethod, job: JobToRun, place: EventLogPlace) -> SteeringMethod:
    """The same way, with the job's directives where its driver reads them."""
    if way.route is None:
        return way
    jar = way.route.submission.agent_jar if way.route.fetched_jar else ""
    return replace(way, route=replace(way.route, share=shared_with(job, place, jar)))


def have_jar_built(job: JobToRun, way: SteeringMethod, problems: Problems) -> None:
    """Has the agent's jar built beside, while the job is decided."""
    if way.route is not None and job.mode is not Mode.OBSERVE:
        problems.guard("have the agent's jar built", partial(build_ahead, way.route), None)


def names_of_changed(decision: Decision, names: Mapping[str, str]) -> dict[str, str]:
    """Of the queries that the decision changes, what they are called."""
    return {query: names[query] for decided in decision.changes for query in decided.queries}


def submit_conf(job: JobToRun, decision: Decision, directives: Directives, place: EventLogPlace) -> dict[str, str]:
    """What is added to the submit: what observes the run, where its author has not set it, and what steers it."""
    is_tuned = job.resources is Resources.TUNE
    observing = {}
    if place.directory:
        observing = observing_conf(job.cohort, job.key, place.conf, decision, polls=is_tuned)
    return {**{k: v for k, v in observing.items() if k not in job.user_conf}, **directives.conf}
