"""A cohort's runs as the chart draws them, and its queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Origin, RunState
from tuner.model.size_change import SizeChange
from tuner.panel.models.home import Home
from tuner.units import GIB

from .nights import COHORT, HINT, PARTITIONS, decided, keep, night, query
from .people import reader

Ask = Callable[..., Any]


def test_runs_are_newest_first_with_what_was_in_force_and_the_band(ask: Ask, store: Store) -> None:
    trial, held = decided(standing=Standing.TRIAL), decided(replace(HINT, target="other"), Standing.HELD)
    keep(store, night(0, query("q1", 20)), night(1, query("q1", 11), changes=[trial, held]))
    steered, plain = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert (plain["band"], plain["in_force"]) == (None, [])
    assert steered["in_force"] == [
        {"change_id": HINT.id, "action_id": HINT.id, "words": "/*+ BROADCAST(days) */ in query 0", "standing": "trial"}
    ]
    assert (steered["query_seconds"], steered["application_seconds"]) == (11.0, 16.0)
    assert steered["allocated_core_hours"] is None
    band = steered["band"]
    assert band["expected"] == pytest.approx(20, rel=0.01)
    assert band["low"] < 20 < band["high"]


def test_a_run_leads_to_its_task_instance_in_airflow_alone(ask: Ask, store: Store) -> None:
    run = night(0, query("q1", 1))
    mapped = replace(night(1, query("q1", 1)), origin=Origin("etl", "manual/1 #2", "group.load", 3), try_number=2)
    keep(store, run, mapped, night(2, query("q1", 1), dag_id=""))
    hrefs = [item["href"] for item in ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]]
    assert hrefs == [
        "",
        "dags/etl/runs/manual%2F1%20%232/tasks/group.load/mapped/3?try_number=2",
        "dags/etl/runs/scheduled__2026-11-01T02%3A00%3A00%2B00%3A00/tasks/load?try_number=1",
    ]
    alone = ask(home=Home.STANDALONE).get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert {item["href"] for item in alone} == {""}


def test_runs_that_failed_have_no_time_of_their_queries(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 5), state=RunState.FAILED))
    (item,) = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert (item["state"], item["query_seconds"], item["application_seconds"]) == ("failed", None, 10.0)


def test_a_run_says_why_it_failed_and_names_what_only_to_readers_of_code(ask: Ask, store: Store) -> None:
    failed = night(0, query("q1", 5, "salaries of ann"), state=RunState.FAILED)
    assert failed.outcome is not None
    why = Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", "q1", "SQL execution 4", 4)
    keep(
        store,
        replace(failed, outcome=replace(failed.outcome, failure=why)),
        night(1, query("q1", 5, "salaries of ann")),
    )
    for viewer, said in (
        (None, "broadcast timed out after 300 s in salaries of ann"),
        (reader("etl"), "broadcast timed out after 300 s"),
    ):
        newest, first = ask(viewer).get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
        assert (newest["failure"], first["failure"]) == ("", said)


def test_a_run_says_which_sizes_it_had_and_why(ask: Ask, store: Store) -> None:
    died = Reason(ReasonCode.RAISED, {"run": "etl/0", "before": "8g", "failure": "an executor ran out of memory"})
    raised = SizeChange("spark.executor.memory", "16g", "8g", died)
    run = night(0, query("q1", 5))
    keep(store, replace(run, decision=replace(run.decision, raises=(raised,))))
    (item,) = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert item["sizes"] == [
        {
            "words": "spark.executor.memory=16g instead of 8g",
            "why": "run etl/0 died with 8g: an executor ran out of memory",
        }
    ]


def test_a_run_says_what_it_was_without_on_purpose(ask: Ask, store: Store) -> None:
    why = Reason(ReasonCode.LONG_IN_FORCE, {"run": "etl/8"})
    left_out = decided(standing=Standing.HELD, held=why)
    keep(store, night(0, query("q1", 20), changes=[left_out, decided(PARTITIONS, Standing.HELD)]))
    (item,) = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    told = "left out once, to compare: of the runs up to etl/8 that still count none was without it"
    assert item["left_out"] == [{"words": "/*+ BROADCAST(days) */ in query 0", "why": told}]


def test_a_run_says_what_its_executors_held(ask: Ask, store: Store) -> None:
    run = night(0, query("q1", 5))
    assert run.outcome is not None
    use = ResourceUse(executor_ms=1_800_000, container_bytes=9 * GIB)
    keep(store, replace(run, outcome=replace(run.outcome, allocated_core_ms=5_400_000, resources=use)))
    (item,) = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert (item["allocated_core_hours"], item["allocated_gib_hours"], item["cost"]) == (1.5, 4.5, None)
    priced = ask(core_hour_price=0.1).get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert priced[0]["cost"] == pytest.approx(0.15)


def test_pages_of_runs_meet(ask: Ask, store: Store) -> None:
    keep(store, *(night(n, query("q1", 20)) for n in range(7)))
    client = ask()
    whole = client.get("/api/cohort/runs", params={"cohort": COHORT}).json()
    pages = [
        client.get("/api/cohort/runs", params={"cohort": COHORT, "limit": 3, "offset": o}).json() for o in (0, 3, 6)
    ]
    assert [item for page in pages for item in page["items"]] == whole["items"]
    assert {page["total"] for page in (whole, *pages)} == {7}


def test_runs_older_than_those_kept_in_view_are_read_when_asked_for(ask: Ask, store: Store) -> None:
    keep(store, *(night(n, query("q1", 20)) for n in range(205)))
    client = ask()
    page = client.get("/api/cohort/runs", params={"cohort": COHORT, "limit": 3, "offset": 200}).json()
    assert [item["key"] for item in page["items"]] == [f"etl/{COHORT}/{n}/1" for n in (4, 3, 2)]
    assert [item["band"]["expected"] for item in page["items"]] == [20.0] * 3


def test_a_run_that_its_task_saw_succeed_tells_when_it_ended_before_its_log_was_read(ask: Ask, store: Store) -> None:
    run = night(0, state=RunState.RUNNING)
    keep(store, run)
    store.keep_success(run.key, run.started_at)
    (item,) = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"]
    assert (item["state"], item["ended_at"]) == ("running", item["started_at"])
