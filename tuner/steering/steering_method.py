"""By which way a run is steered: the one asked for, or the best that can be had."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.steering.agent.route import NoRoute, Route, agent_route
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering


@dataclass(frozen=True, slots=True)
class SteeringMethod:
    """`route` is there where the agent steers; `why` says what kept it from being used where it was asked for."""

    steering: Steering
    route: Route | None = None
    why: str = ""


def choose_method(
    asked: Steering, submission: Submission, ran_version: str, no_agent: str = "", beside: str | None = None
) -> SteeringMethod:
    """The way for a submission; `ran_version` is the Spark of the cohort's latest run ("" if unknown), `no_agent` why its runs
    do without the agent ("" where they do not), `beside` as `Route` has it."""
    if asked is not Steering.AGENT:
        return SteeringMethod(asked)
    if no_agent:
        return SteeringMethod(Steering.CONF, why=no_agent)
    found = agent_route(submission, ran_version, beside)
    return (
        SteeringMethod(Steering.CONF, why=found.why)
        if isinstance(found, NoRoute)
        else SteeringMethod(Steering.AGENT, found)
    )
