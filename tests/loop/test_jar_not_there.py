"""Jobs whose Spark is to fetch a jar of the agent that is not at its URL: it does not start, and leaves no log."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.nightly import Nightly, Spark
from tuner.loop.log_lines import turn_lines
from tuner.loop.loop import Report, Turn, complete, prepare
from tuner.model.agent_message import DIRECTIVES
from tuner.model.decision import Standing
from tuner.policy import why_no_agent
from tuner.spark.properties import JARS
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering

TEMPLATE = "s3://jars/agent-{spark_minor}-{scala}.jar"
JAR = "s3://jars/agent-4.3-2.13.jar"


@pytest.fixture
def nightly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    """A job of a service, whose logs land late: one that is not there says nothing of where it was to go."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Nightly(tmp_path, steering=Steering.AGENT, submission=Submission(agent_jar=TEMPLATE))


def begun(nightly: Nightly, key: str) -> Turn:
    return prepare(replace(nightly.job(key), log_lands_late=True), nightly.url)


def ran(nightly: Nightly, turn: Turn, version: str = "4.3.0") -> Report:
    """It starts, where it is to fetch no jar or has it."""
    told = DIRECTIVES in turn.conf
    Spark(4.0 if told else 7.0, broadcast=told, agent=told, version=version).run(turn)
    return complete(turn, nightly.url, failed=False)


def proven(nightly: Nightly, version: str = "4.3.0") -> None:
    for night in range(1, 6):
        report = ran(nightly, begun(nightly, f"e/{night}/1"), version)
        assert report.problems == ()
    (hint,) = report.turn.decision.in_force
    assert (hint.standing, hint.change.is_on_joins) == (Standing.PROMOTED, True)


def fetches(turn: Turn) -> str:
    return turn.directives.merged.get(JARS, "")


def night_without_jar(nightly: Nightly, night: int, version: str = "4.3.0") -> Turn:
    """The first try does not start, and its retry does, without the jar."""
    first = begun(nightly, f"e/{night}/1")
    if fetches(first):
        complete(first, nightly.url, failed=True)
        retry = begun(nightly, f"e/{night}/2")
        assert not fetches(retry) and not retry.decision.in_force
        ran(nightly, retry, version)
    else:
        ran(nightly, first, version)
    return first


def test_a_jar_that_is_gone_is_tried_once_more_and_then_done_without(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    proven(nightly)
    assert [fetches(night_without_jar(nightly, night)) for night in (6, 7, 8, 9)] == [JAR, JAR, "", ""]
    turn = begun(nightly, "e/10/1")
    assert "run e/7/1 was to fetch it, failed and left no event log" in turn.directives.why
    assert f"see that {JAR} is there" in "\n".join(turn_lines(turn))
    monkeypatch.setattr(why_no_agent, "DOES_WITHOUT", timedelta())
    (hint,) = begun(nightly, "e/11/1").decision.in_force
    assert hint.standing is Standing.PROMOTED, "no change was accused"


def test_one_that_no_run_has_had_yet_is_done_without_at_once(nightly: Nightly) -> None:
    """The platform goes on to another Spark, and nobody has built the jar for that."""
    proven(nightly)
    for night in (6, 7):  # the second is the baseline on that Spark
        ran(nightly, begun(nightly, f"e/{night}/1"), "4.4.0")
    assert fetches(night_without_jar(nightly, 8, "4.4.0")) == "s3://jars/agent-4.4-2.13.jar"
    assert fetches(night_without_jar(nightly, 9, "4.4.0")) == ""


def test_a_job_without_retries_does_without_it_the_next_night(nightly: Nightly) -> None:
    proven(nightly)
    complete(begun(nightly, "e/6/1"), nightly.url, failed=True)
    assert fetches(begun(nightly, "e/7/1")) == ""


def test_another_jar_is_tried_at_once(nightly: Nightly) -> None:
    proven(nightly)
    for night in (6, 7, 8):
        night_without_jar(nightly, night)
    nightly.submission = replace(nightly.submission, agent_jar="s3://jars/another.jar")
    assert fetches(begun(nightly, "e/9/1")) == "s3://jars/another.jar"


def test_a_job_that_fails_so_without_it_too_has_it_again(nightly: Nightly) -> None:
    proven(nightly)
    for key in ("e/6/1", "e/6/2"):
        complete(begun(nightly, key), nightly.url, failed=True)
    assert fetches(begun(nightly, "e/7/1")) == JAR
