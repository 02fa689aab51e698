"""A deployed jar that an earlier release made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nightly import Nightly, Spark
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering


@pytest.mark.parametrize(("release", "is_told"), [("0123456789abcdef", True), ("", True), (None, False)])
def test_a_run_that_had_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str | None, is_told: bool
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    nightly = Nightly(tmp_path, steering=Steering.AGENT, submission=Submission(agent_jar="hdfs:///jars/agent.jar"))
    nightly.night("e/1/1")
    steered = Spark(4.0, broadcast=True, agent=True)
    report = nightly.night(
        "e/2/1", steered if release is None else Spark(4.0, broadcast=True, agent=True, release=release)
    )
    assert report.run is not None, "it is judged as ever"
    assert ["of another release" in problem for problem in report.problems] == [True] * is_told
