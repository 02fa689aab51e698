"""What failed is told without what may be a secret in it, at any level of the log."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from tuner.advice.advise import advise
from tuner.advice.insights.insights import insights_of
from tuner.loop.stance_now import decided_now, keep_stance_now
from tuner.problems import Problems

URL = "https://me:hunter2@host/logs"


def fail(*_: object) -> Any:
    try:
        raise OSError(URL)
    except OSError as error:
        raise ValueError(f"{URL} cannot be read") from error


def is_told_without_secret(log: pytest.LogCaptureFixture) -> bool:
    return "in fail" in log.text and "hunter2" not in log.text


def test_a_step_that_fails_is_logged_by_where_it_failed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    problems = Problems()
    assert problems.guard("read it", fail, 1) == 1
    (told,) = problems.found
    assert told.startswith("could not read it: ") and "hunter2" not in told
    assert is_told_without_secret(caplog)


def test_where_a_cohort_stands_is_not_told_with_secrets(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    store: Any = SimpleNamespace(count=fail)
    assert (decided_now(store, "etl.load"), keep_stance_now(store, "etl.load")) == (None, None)
    assert is_told_without_secret(caplog)
    (warning,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    assert warning.getMessage().startswith("could not keep where cohort etl.load stands: ")


def test_nor_is_an_advisor_or_a_plan(caplog: pytest.LogCaptureFixture) -> None:
    facts: Any = SimpleNamespace(prediction_errors=())
    assert advise(facts, [fail]) == ()
    assert is_told_without_secret(caplog)
    caplog.clear()
    work: Any = SimpleNamespace()
    assert insights_of(work, work) == ()
    assert "a plan cannot be looked at" in caplog.text and "SimpleNamespace' object" not in caplog.text
