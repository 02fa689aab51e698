"""kill -9 of the database server between and within decision and harvest: the job's outcome is its own, and what was
recorded is found again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chaos.dying import Cohort, drive
from tests.chaos.test_kill_the_driver import NEXT, UNHARVESTED, VICTIM, judged_once, prepared, stored
from tests.history.conftest import own_server
from tuner.history.schema import upgrade
from tuner.loop.loop import complete
from tuner.model.decision import Standing
from tuner.model.run import RunState

if TYPE_CHECKING:
    from tests.history.postgres import Server

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    yield from own_server()


@pytest.fixture(scope="module")
def template(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    found = Cohort(tmp_path_factory.mktemp("template"), store=server.database())
    upgrade(found.store)
    return prepared(found)


@pytest.fixture
def cohort(server: Server, template: Cohort, tmp_path: Path) -> Cohort:
    return copied(template, server, tmp_path / "cohort")


def copied(template: Cohort, server: Server, root: Path) -> Cohort:
    shutil.copytree(template.root, root)
    return replace(template, root=root, store=server.database(template.store))


def test_before_the_decision(cohort: Cohort, server: Server) -> None:
    server.kill()
    report = cohort.run(VICTIM)
    server.start()
    assert report.problems[0].startswith("could not open the history store")
    assert not report.turn.decision.in_force
    assert report.run is not None
    assert report.run.state is RunState.SUCCEEDED
    assert cohort.run(NEXT).problems == ()


def test_between_decision_and_harvest(cohort: Cohort, server: Server) -> None:
    turn = cohort.prepare(VICTIM)
    assert turn.decision.in_force
    cohort.spark(turn).run(turn)
    server.kill()
    report = complete(turn, cohort.url, failed=False)
    server.start()
    assert [problem.split(":")[0] for problem in report.problems] == ["could not store the outcome"]
    after = cohort.run(NEXT)
    assert after.problems == ()
    assert {d.standing for d in after.turn.decision.changes} == {Standing.PROMOTED}
    assert stored(cohort)[VICTIM].state is RunState.SUCCEEDED


@pytest.mark.nightly  # By day the store is killed before and after a run, and the driver at every step.
def test_at_every_step(server: Server, template: Cohort, tmp_path: Path) -> None:
    for fatal in count(1):
        cohort = copied(template, server, tmp_path / str(fatal))
        death = drive(cohort, VICTIM, fatal, server.pid)
        assert death.exit_code == 0, "the job ended as it would have"
        assert death.submitted is not None
        killed = not server.is_ready
        if killed:
            server.kill()
            server.start()
        after = cohort.run(NEXT)
        runs = stored(cohort)
        assert after.problems == ()
        assert {run.state for run in runs.values()} == {RunState.SUCCEEDED}
        assert runs[UNHARVESTED].outcome is not None
        if death.submitted:
            assert [decided.id for decided in runs[VICTIM].decision.in_force] == death.submitted
        judged_once(list(runs.values()))
        if not killed:
            return
