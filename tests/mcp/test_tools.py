"""What is said in place of an answer: a sentence, and nothing of what only the server is to know."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from tests.panel.people import Someone
from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.mcp.store_tools import StoreTools
from tuner.mcp.tools import UNEXPECTED, UNKNOWN_TOOL, Tools
from tuner.panel.access import Access
from tuner.panel.guarded_answers import STORE_UNUSABLE
from tuner.panel.models.home import Home
from tuner.panel.recent_runs import RecentRuns

Refused = Callable[..., str]


def test_a_tool_that_there_is_not(refused: Refused) -> None:
    assert refused("drop_tables") == UNKNOWN_TOOL


def test_parameters_that_a_tool_does_not_know(refused: Refused) -> None:
    said = refused("list_runs", cohrot="etl")
    assert "cohort: Field required; cohrot: Extra inputs are not permitted" in said


@pytest.mark.parametrize("cohort", ["\x00", "\ud800", "x" * 3000, 7, None, ["etl"]])
def test_a_name_that_is_none(cohort: object, refused: Refused) -> None:
    said = refused("explain_cohort", cohort=cohort)
    assert said.startswith("explain_cohort: cohort: ")
    assert len(said) < 300


@pytest.mark.parametrize("home", [Home.AIRFLOW, Home.STANDALONE])
def test_where_a_store_is_that_cannot_be_used_is_told_to_its_owner_alone(home: Home) -> None:
    def broken() -> Store:
        raise StoreError("history store postgresql://db.internal/tuner: no route to host")

    tools = Tools(StoreTools(Access(broken, Someone(), RecentRuns()), home), home)
    (said,) = tools.call("list_cohorts", {}).content
    assert said.type == "text"
    assert ("db.internal" in said.text) == (home is Home.STANDALONE)
    assert home is Home.STANDALONE or said.text == f"list_cohorts: {STORE_UNUSABLE}"


def test_what_nobody_expected_stands_in_the_log_alone(refused: Refused, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Someone):
        def readable_dags(self) -> frozenset[str] | None:
            raise RuntimeError("secret words")

    with caplog.at_level(logging.ERROR):
        assert refused("list_cohorts", Broken()) == f"list_cohorts: {UNEXPECTED}"
    assert "secret words" in caplog.text
