"""Signals to spark-submit and to `spark-tuner submit` around it, as programs of their own; only Spark is missing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.airflow_plugin import logging_spark
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.failure import FailureKind
from tuner.model.run import Run, RunState

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
# Leaves an event log; ends by the signal $SIGNAL; waits for the file `go` where there is a file `wait`.
SPARK_SUBMIT = f"""#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$@" > "$here/arguments"
touch "$here/started"
while [ -e "$here/wait" ] && [ ! -e "$here/go" ]; do sleep 0.05; done
{sys.executable} {logging_spark.__file__} "$@"
code=$?
[ -n "$SIGNAL" ] && kill -"$SIGNAL" $$
touch "$here/ended"
exit $code
"""


@dataclass
class Submits:
    """`spark-tuner submit` of one cohort, again and again."""

    root: Path
    home: Path = field(init=False)

    def __post_init__(self) -> None:
        self.home = self.root / "spark"
        program = self.file("spark-submit")
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(SPARK_SUBMIT)
        program.chmod(0o755)

    def start(self, how: str = "run", **environment: str) -> subprocess.Popen[bytes]:
        given = ["--cohort", "nightly", "--steering", "conf", "--event-log-base", str(self.root / "events")]
        with (self.root / "said").open("w") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "tuner.cli", "submit", *given, "--db", self.url, "--", "app.py", how],
                env={**os.environ, "SPARK_HOME": str(self.home), **environment},
                stderr=said,
            )

    def run(self, how: str = "run", **environment: str) -> tuple[int, str]:
        """Its exit code, and what it said."""
        code = self.start(how, **environment).wait(60)
        return code, (self.root / "said").read_text()

    @property
    def url(self) -> str:
        return f"sqlite:///{self.root}/history.db"

    @property
    def steered(self) -> bool:
        return THRESHOLD in self.file("arguments").read_text()

    @property
    def runs(self) -> list[Run]:
        with Store.open(self.url) as store:
            return store.runs("nightly")

    def file(self, name: str) -> Path:
        return self.home / "bin" / name

    def wait_for(self, name: str) -> None:
        deadline = time.monotonic() + 30
        while not self.file(name).exists():
            assert time.monotonic() < deadline, f"no {name}"
            time.sleep(0.02)


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a first run was observed."""
    root = tmp_path_factory.mktemp("observed")
    assert Submits(root).run()[0] == 0
    return root


@pytest.fixture
def submits(observed: Path, tmp_path: Path) -> Iterator[Submits]:
    root = tmp_path / "root"
    shutil.copytree(observed, root)
    found = Submits(root)
    for name in ("arguments", "started", "ended"):
        found.file(name).unlink()
    yield found
    found.file("go").touch()


@pytest.fixture
def orphan(submits: Submits) -> Submits:
    """Whose second run goes on though its driver was killed, until there is a file `go`."""
    submits.file("wait").touch()
    driver = submits.start()
    submits.wait_for("started")
    driver.send_signal(signal.SIGKILL)
    assert driver.wait(30) == -9
    assert submits.steered
    return submits


def test_sigkill_is_told_and_rolls_the_trial_back(submits: Submits) -> None:
    code, said = submits.run("die", SIGNAL="9")
    assert (code, submits.steered) == (137, True), "as a shell tells it"
    assert "failed: killed by SIGKILL, as where memory runs out in " in said
    assert submits.run()[0] == 0
    assert not submits.steered
    assert [run.state for run in submits.runs] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]
    failure = submits.runs[1].failure
    assert failure is not None
    assert (failure.kind, failure.query is not None) == (FailureKind.SIGKILLED, True)


def test_sigterm_comes_from_outside_and_the_trial_is_made_again(submits: Submits) -> None:
    code, said = submits.run("die", SIGNAL="15")
    assert code == 143
    assert "this change did not cause it and is tried once more" in said
    assert submits.run()[0] == 0
    assert submits.steered
    assert {d.standing for d in submits.runs[-1].decision.changes} == {Standing.TRIAL}


def test_the_job_outlives_the_driver_and_is_harvested_by_the_next(orphan: Submits) -> None:
    orphan.file("go").touch()
    orphan.wait_for("ended")
    assert orphan.run()[0] == 0
    first, killed, last = orphan.runs
    assert (killed.state, killed.outcome is not None) == (RunState.SUCCEEDED, True)
    assert len({run.outcome.app_id for run in (first, killed, last) if run.outcome}) == 3
    assert {d.standing for d in last.decision.changes} == {Standing.PROMOTED}, (
        "the killed driver's run was judged, once"
    )


def test_while_the_job_of_a_killed_driver_runs_nothing_is_tried_beside_it(orphan: Submits) -> None:
    orphan.file("started").unlink()
    beside = orphan.start()
    orphan.wait_for("started")
    assert not orphan.steered
    orphan.file("go").touch()
    assert beside.wait(60) == 0
    assert {d.standing for d in orphan.runs[-1].decision.changes} == {Standing.HELD}


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *(pytest.param(other, marks=pytest.mark.nightly) for other in (signal.SIGINT, signal.SIGHUP))],
)
def test_who_asks_the_driver_to_end_ends_the_job(submits: Submits, number: signal.Signals) -> None:
    """As he would end spark-submit without the tuner around it."""
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("it is ignored where these tests run, and so by the programs they start")
    submits.file("wait").touch()
    driver = submits.start()
    submits.wait_for("started")
    driver.send_signal(number)
    assert driver.wait(30) == 128 + number
    assert not submits.file("ended").exists()
    assert f"failed: killed by {number.name}" in (submits.root / "said").read_text()
    assert submits.runs[-1].state is RunState.FAILED
