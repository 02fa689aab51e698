"""The walk over a cohort's runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.policy.histories import MIDNIGHT, outcome
from tuner.advice.facts import Facts
from tuner.model.decision import Decision, Mode
from tuner.model.run import Origin, Run, RunState
from tuner.policy.context import Context, context_of
from tuner.problems import Problems
from tuner.replay import walk as walk_module
from tuner.replay.cohort_replay import LoggedRun, ReplayedRun, Upcoming
from tuner.replay.walk import Walker


def walked(run: LoggedRun) -> tuple[ReplayedRun, Upcoming]:
    walk = Walker().walk([run], Problems())
    found = next(walk)
    try:
        next(walk)
    except StopIteration as end:
        return found, end.value
    raise AssertionError("a run more than there are")


def test_queries_that_ran_at_once_share_the_cores_of_their_cluster() -> None:
    measured = outcome({"q1": 100.0, "q2": 100.0})
    at_once = replace(measured, queries=tuple(replace(query, start_ms=0) for query in measured.queries))
    for told, cores in ((measured, 8.0), (at_once, 4.0)):
        run = LoggedRun("log", "etl", "etl/0/1", "etl", 1, MIDNIGHT, None, RunState.SUCCEEDED, told)
        found, to_come = walked(run)
        assert (found.query_cores, to_come.query_cores) == (cores, cores)


def test_a_mapped_instance_is_decided_on_by_what_it_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    decided: list[tuple[str, list[str]]] = []

    def next_decision(_: Sequence[Run], facts: Facts | None, **known: Any) -> Decision:
        decided.append((known["instance"], [query.fingerprint for query in facts.queries] if facts else []))
        return Decision(Mode.AUTO, ())

    monkeypatch.setattr(walk_module, "next_decision", next_decision)
    runs = []
    for night, index in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        key, told = f"etl/{night}/load/{index}/1", outcome({f"q{index}": 10.0})
        at = MIDNIGHT + timedelta(days=night, hours=index)
        origin = Origin("etl", str(night), "load", index)
        ended = at + timedelta(minutes=5)
        runs.append(LoggedRun("log", "etl", key, "etl.load", 1, at, ended, RunState.SUCCEEDED, told, origin=origin))
    assert len(list(Walker().walk(runs, Problems()))) == len(runs)
    rested_on = [[], ["q0"], ["q0"], ["q1"]]
    names = ["etl/load/0", "etl/load/1"] * 2
    assert decided == [*zip(names, rested_on, strict=True), ("", ["q1"])]


def test_a_drivers_heap_that_its_conf_does_not_tell_is_no_other_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    told, to_come = outcome({"q1": 10.0}), list[Context | None]()

    def next_decision(*_: Any, **known: Any) -> Decision:
        to_come.append(known.get("to_come"))
        return Decision(Mode.AUTO, ())

    monkeypatch.setattr(walk_module, "next_decision", next_decision)
    cluster = replace(told.cluster, driver_memory_bytes=6 << 30)
    told = replace(told, cluster=cluster, conf={"spark.driver.memory": "16g"})
    runs = []
    for night in range(2):
        at = MIDNIGHT + timedelta(days=night)
        runs.append(LoggedRun("log", "etl", f"etl/{night}/1", "etl", 1, at, at, RunState.SUCCEEDED, told))
    assert len(list(Walker().walk(runs, Problems()))) == len(runs)
    assert to_come[1] == context_of(told)
