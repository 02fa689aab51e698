"""The demo ends with the first run that left nothing to look at, and says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.history.samples import full_outcome, measured, running
from tuner.demo.require_measured import require_measured
from tuner.errors import TunerError
from tuner.model.decision import Decision, Mode
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import RunState

LOG = Path("demo/airflow.log")


def test_a_run_without_an_event_log_is_the_last_and_says_why() -> None:
    nowhere = Decision(Mode.AUTO, (), unsteered=Reason(ReasonCode.UNOBSERVED, {"why": "no event log can be had"}))
    lost = replace(running(), state=RunState.LOST, decision=nowhere)
    with pytest.raises(TunerError) as raised:
        require_measured([lost], 1, LOG)
    assert str(raised.value) == (
        "run 1 could not be measured: no log; its decision: no event log can be had: runs without changes and is not observed; "
        "see demo/airflow.log"
    )


def test_a_run_without_the_demos_queries_is_the_last() -> None:
    with pytest.raises(TunerError, match="run 1 could not be measured: succeeded"):
        require_measured([replace(running(), state=RunState.SUCCEEDED, outcome=measured())], 1, LOG)


def test_a_run_that_nobody_stored_is_the_last() -> None:
    with pytest.raises(TunerError, match=r"run 2 was not stored in the history; see demo/airflow.log"):
        require_measured([running()], 2, LOG)


def test_what_is_measured_or_will_be_goes_on() -> None:
    outcome = full_outcome()
    query = replace(outcome.queries[0], description="01-query-50", duration_ms=1_000)
    require_measured([replace(running(), state=RunState.SUCCEEDED, outcome=replace(outcome, queries=(query,)))], 1, LOG)
    require_measured([running()], 1, LOG)
