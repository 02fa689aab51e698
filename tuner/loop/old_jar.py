"""Whether the agent that a run had is the one that this release makes."""

from __future__ import annotations

from tuner.model.agent_record import AgentRecord
from tuner.steering.agent.sources import digest_of_all


def old_jar(agent: AgentRecord) -> str:
    """What to do where it is another, in words; "" where it is the same, or did not load."""
    if agent.release is None or agent.release == digest_of_all():
        return ""
    return (
        "the agent's jar in this run is of another release of the tuner, and acts by the rules of that: build it again "
        "(`spark-tuner agent-jar`) and put it where agent_jar says"
    )
