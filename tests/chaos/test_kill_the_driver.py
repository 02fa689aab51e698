"""kill -9 of the process that decides, submits and harvests, at every step: nothing is lost, nothing counts twice."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chaos.dying import Cohort, Death, drive
from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.model.run import Run, RunState
from tuner.policy.ledger import read_ledger

if TYPE_CHECKING:
    from tests.history.postgres import Server

FIRST, UNHARVESTED, VICTIM, RETRY, NEXT = "e/1/1", "e/2/1", "e/3/1", "e/3/2", "e/4/1"


def prepared(cohort: Cohort) -> Cohort:
    """A cohort with a measured run, and a steered one that ended unseen: the victim's `prepare` is to harvest it."""
    cohort.run(FIRST)
    turn = cohort.prepare(UNHARVESTED)
    assert turn.decision.in_force
    cohort.spark(turn).run(turn)
    return cohort


def stored(cohort: Cohort) -> dict[str, Run]:
    with Store.open(cohort.url) as store:
        return {run.key: run for run in store.runs(cohort.cohort)}


def check(cohort: Cohort, death: Death) -> None:
    """What must hold after any death, once the retry and the next night have run."""
    retry, after = cohort.run(RETRY), cohort.run(NEXT)
    assert retry.problems == after.problems == ()
    runs = stored(cohort)
    assert {key: run.state for key, run in runs.items() if key != VICTIM} == dict.fromkeys(
        (FIRST, UNHARVESTED, RETRY, NEXT), RunState.SUCCEEDED
    )
    assert all(run.outcome is not None for key, run in runs.items() if key != VICTIM)
    victim = runs.get(VICTIM)
    if death.submitted is not None:
        assert victim is not None, "what ran was recorded before it ran"
        assert [decided.id for decided in victim.decision.in_force] == death.submitted
        assert victim.outcome is not None, "its log was harvested"
    if victim is not None:
        assert victim.state in (RunState.FAILED, RunState.SUCCEEDED)
        clean = victim.state is RunState.FAILED and victim.decision.in_force
        assert bool(retry.turn.decision.in_force) is not bool(clean)
    judged_once(list(runs.values()))


def judged_once(runs: list[Run]) -> None:
    for id_, record in read_ledger(runs).items():
        in_force = [run for run in runs if id_ in {decided.id for decided in run.decision.in_force}]
        assert record.trials <= len(in_force)


def deaths(
    root: Path, template: Cohort, copied: Callable[[str], str], stride: int = 1
) -> Iterator[tuple[Cohort, Death]]:
    """Each step's, or that of some, on a copy of the template, until the driver lives."""
    for fatal in count(1, stride):
        shutil.copytree(template.root, root / str(fatal))
        victim = replace(template, root=root / str(fatal), store=copied(template.store))
        death = drive(victim, VICTIM, fatal)
        yield victim, death
        if death.exit_code == 0:
            return


@pytest.mark.nightly
def test_while_the_store_is_made(tmp_path: Path) -> None:
    """The first run of all: the schema is there, or made anew, for the next."""
    for fatal in count(1):
        cohort = Cohort(tmp_path / str(fatal))
        cohort.root.mkdir()
        death = drive(cohort, FIRST, fatal)
        assert death.exit_code == -9
        first, second = cohort.run("e/1/2"), cohort.run("e/2/1")
        assert first.problems == second.problems == ()
        assert second.turn.decision.in_force
        if death.step == "after Store.begin":
            return


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.nightly)])
def test_at_every_step(tmp_path: Path, stride: int) -> None:
    steps = []
    for cohort, death in deaths(tmp_path, prepared(Cohort(tmp_path / "template")), str, stride):
        assert death.exit_code in (0, -9), death
        steps.append(death.step)
        with closing(sqlite3.connect(cohort.root / "history.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], death
        check(cohort, death)
    assert len(steps) > 50 / stride
    if stride == 1:
        told = "\n".join(steps)
        for step in (
            "Store.begin",
            "Store.finish",
            "Store.pending",
            "Store.add_details",
            "INSERT",
            "UPDATE",
            "os.mkdir",
        ):
            assert step in told, f"no {step} among the steps"
        assert {"before the job", "in the job", "after the job"} <= set(steps)


@pytest.mark.postgres
@pytest.mark.nightly
def test_at_every_step_on_postgresql(tmp_path: Path, postgres_server: Server) -> None:
    template = Cohort(tmp_path / "template", store=postgres_server.database())
    upgrade(template.store)
    for cohort, death in deaths(tmp_path, prepared(template), copied=postgres_server.database):
        assert death.exit_code in (0, -9), death
        check(cohort, death)
