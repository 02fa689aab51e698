"""What the agent is told of a decision, within the sizes that its hints and orders hold for."""

from __future__ import annotations

from tuner.advice.facts import Facts
from tuner.loop.size_limits import size_limits
from tuner.model.decision import Decision
from tuner.policy.known_queries import KnownQueries
from tuner.steering.agent.agent_directives import AgentDirectives, agent_directives


def told_to_agent(decision: Decision, facts: Facts, newest: KnownQueries) -> AgentDirectives:
    """`facts` are those that the decision rests on, `newest` the queries of its cohort as they last ran."""
    limits = size_limits(facts, decision, newest)
    return agent_directives(decision, newest.of_latest, limits, newest.absent, newest.executions)
