"""What the store keeps of a harvested run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.policy import histories
from tuner.history.outcome import outcome_of
from tuner.model.agent_record import AgentRecord
from tuner.model.application import Application, Completeness, Executors

RUN = histories.run(0, {"q1": 10.0})


@pytest.mark.parametrize(
    ("said", "has_queries", "missing"),
    [
        (AgentRecord(is_directed=True), True, True),
        # The job failed before it made its session, which is what loads extensions: nothing is known of the jar.
        (AgentRecord(is_directed=True), False, False),
        (AgentRecord(is_directed=True, loaded=True, problem="cannot be read"), False, True),
        (AgentRecord(is_directed=True, loaded=True), True, False),
        (AgentRecord(), True, False),
    ],
)
def test_whether_the_agent_is_missing(said: AgentRecord, has_queries: bool, missing: bool) -> None:
    application = Application("", "", None, "", 0, 1, Completeness.COMPLETE, Executors(), {}, ())
    assert RUN.outcome
    queries = RUN.outcome.queries if has_queries else ()
    assert outcome_of(replace(application, steering=said), queries).agent_missing is missing
