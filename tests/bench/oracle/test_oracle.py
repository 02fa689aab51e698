"""The contender: what it keeps between its runs, and what it says where that is gone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.bench.made import setup
from tuner.bench.bench_run import QueryTime, Setup
from tuner.bench.contenders import oracle as module
from tuner.bench.contenders.contender import Preparing
from tuner.bench.contenders.oracle import Oracle
from tuner.bench.oracle.oracle_words import result_lines
from tuner.bench.oracle.steered_by_oracle import OracleSteering
from tuner.bench.progress import Heard
from tuner.bench.run_application import Ran, Submit
from tuner.errors import TunerError
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query import Query, QueryStatus


def test_it_prepares_and_does_not_learn() -> None:
    assert isinstance(Oracle(), Preparing)
    assert not Oracle().learns


def test_where_nothing_is_better_it_runs_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    submits: list[Submit] = []

    def run_application(setup: Setup, submit: Submit, work: Path, heard: Heard) -> Ran:
        submits.append(submit)
        return Ran((QueryTime("q1", 5.0),), 20.0, 0)

    monkeypatch.setattr(module, "run_application", run_application)
    work = tmp_path / "oracle" / "run-001"
    work.mkdir(parents=True)
    (work.parent / "steering.json").write_bytes(msgspec.json.encode(OracleSteering("", ("said",))))
    ran = Oracle().run(setup(tmp_path), 1, (), work, lambda query: None)
    assert [query.seconds for query in ran.queries] == [5.0]
    (submit,) = submits
    assert not submit.flags
    assert submit.conf["spark.eventLog.dir"] == (work / "events").as_uri()
    assert ran.said[0] == "said"
    assert "what became of its choices is not known" in ran.said[1], "it left no log"


def test_what_it_chose_is_gone(tmp_path: Path) -> None:
    with pytest.raises(TunerError, match=r"steering\.json: what the oracle chose cannot be read .*; remove .*oracle"):
        Oracle().run(setup(tmp_path), 1, (), tmp_path / "oracle" / "run-001", lambda query: None)


def test_it_says_what_was_followed() -> None:
    results = (
        DirectiveResult("order_joins:f/b=(a b)", DirectiveStatus.APPLIED),
        DirectiveResult("hint_join:f/j=BROADCAST(a)", DirectiveStatus.IGNORED, "the user's own hint"),
    )
    query = Query(1, 1, "f" * 16, "q08a", 0, 1, QueryStatus.SUCCEEDED, directives=results)
    (line,) = result_lines([query, Query(2, 2, "e" * 16, "q09a", 0, 1, QueryStatus.SUCCEEDED)])
    assert line == "q08a: 1 of 2 directives followed; ignored: hint_join:f/j=BROADCAST(a): the user's own hint"
