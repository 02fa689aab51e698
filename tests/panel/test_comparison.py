"""Two runs of a cohort, as the panel compares them: for its readers, and by keys of its own runs alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.compare.jobs import GB, execution, join, others, run
from tests.policy.histories import hint, recommend
from tuner.history.store import Store
from tuner.model.run import Origin, Run, RunState
from tuner.model.strategy import BuildSide, Strategy
from tuner.panel.access import UNKNOWN_COHORT
from tuner.panel.compare_routes import UNKNOWN_RUN

from .nights import keep
from .people import reader

Ask = Callable[..., Any]
COHORT = "etl.load"
(CHANGE,) = recommend(hint("q1"))
BROADCAST = join(Strategy.BROADCAST_HASH, build_side=BuildSide.RIGHT)


def of_dag(one: Run, dag_id: str = "etl") -> Run:
    return replace(one, origin=Origin(dag_id, f"run {one.key}", "load"))


@pytest.fixture
def nights(store: Store) -> tuple[Run, Run]:
    before = of_dag(run(0, execution(joins=(BROADCAST,)), execution("q2", 80), *others(), changes=[CHANGE]))
    after = of_dag(run(1, execution(work=800, joins=(join(),)), execution("q2", 160, input_bytes=2 * GB), *others()))
    keep(store, before, after)
    return before, after


def asked(ask: Ask, before: Run, after: Run) -> Any:
    return ask().get("/api/cohort/compare", params={"cohort": COHORT, "before": before.key, "after": after.key})


def test_it_says_what_is_slower_by_how_much_and_why(ask: Ask, nights: tuple[Run, Run]) -> None:
    answer = asked(ask, *nights)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["headline"] == "60.0 s slower (50.0%): 3 min 0 s instead of 2 min 0 s"
    assert [found[side]["key"] for side in ("before", "after")] == [one.key for one in nights]
    assert found["before"]["run_id"] == "run etl/0/load/-1/1"
    assert [(one["label"], round(one["seconds"]), one["query"]["fingerprint"]) for one in found["causes"]] == [
        ("tuner's changes", 50, "q1"),
        ("data", 10, "q2"),
    ]
    first = found["queries"][0]
    assert first["query"] == {"fingerprint": "q1", "name": "query of q1"}
    assert (first["seconds_before"], first["seconds_after"], first["share"]) == (50.0, 100.0, pytest.approx(5 / 6))
    (operator,) = first["operators"]
    assert (operator["kind"], operator["name"]) == ("join", "sales ⋈ days")
    assert operator["before"]["how"] == "broadcast hash join, built of the right side"
    assert operator["after"]["how"] == "sort merge join"
    assert [item["is_noise"] for item in found["queries"]] == [False, False, *[True] * 5]
    assert "in force before: /*+ BROADCAST(dim) */ in query of q1" in found["others"]


def test_an_edited_query_is_one(ask: Ask, store: Store) -> None:
    named = {"description": "daily sales", "relations": ("shop.sales",)}
    nights = of_dag(run(0, execution("old", **named))), of_dag(run(1, execution("new", 800, **named)))
    keep(store, *nights)
    found = asked(ask, *nights).json()
    (cause,) = found["causes"]
    assert (cause["kind"], cause["label"], cause["query"]["name"]) == ("statement", "statement", "daily sales")
    assert [item["query"]["fingerprint"] for item in found["queries"]] == ["new"]


def test_the_same_run_twice_has_no_difference(ask: Ask, nights: tuple[Run, Run]) -> None:
    found = asked(ask, nights[0], nights[0]).json()
    assert (found["is_same"], found["headline"]) == (True, "both are the same run: nothing differs")
    assert (found["causes"], found["difference_seconds"]) == ([], 0.0)


def test_backwards_it_is_faster(ask: Ask, nights: tuple[Run, Run]) -> None:
    found = asked(ask, nights[1], nights[0]).json()
    assert found["headline"].startswith("60.0 s faster (33.3%)")
    assert [round(one["seconds"]) for one in found["causes"]] == [-50, -10]


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("key", ["elsewhere", "no such run", "unmeasured"])
def test_a_run_that_is_not_of_this_cohort_is_as_one_that_does_not_exist(
    ask: Ask, store: Store, nights: tuple[Run, Run], side: str, key: str
) -> None:
    keep(store, replace(of_dag(run(2, execution(), cohort="other")), key="elsewhere"))
    keep(store, replace(of_dag(run(3)), key="unmeasured", state=RunState.LOST, outcome=None))
    keys = {"before": nights[0].key, "after": nights[1].key}
    answer = ask().get("/api/cohort/compare", params={"cohort": COHORT, **keys, side: key})
    assert (answer.status_code, answer.json()) == (404, {"detail": UNKNOWN_RUN})


def test_of_a_run_whose_plans_were_let_go_it_says_so(ask: Ask, store: Store, nights: tuple[Run, Run]) -> None:
    store.let_go_of_plans([nights[0].key])
    answer = asked(ask, *nights)
    said = f"run {nights[0].key} cannot be compared: its plans were let go (spark-tuner db prune); choose another one"
    assert (answer.status_code, answer.json()) == (410, {"detail": said})
    for part in ("", "/runs", "/recommendations", "/insights", "/queries", "/plan?query=q1", "/audit"):
        store.let_go_of_plans([one.key for one in nights])
        answer = ask().get(f"/api/cohort{part}", params={"cohort": COHORT, "query": "q1"})
        assert answer.status_code == 200, part


def test_it_is_for_readers_of_the_cohort(ask: Ask, nights: tuple[Run, Run]) -> None:
    params = {"cohort": COHORT, "before": nights[0].key, "after": nights[1].key}
    assert ask(reader("etl")).get("/api/cohort/compare", params=params).status_code == 200
    refused = ask(reader("sales")).get("/api/cohort/compare", params=params)
    assert (refused.status_code, refused.json()) == (404, {"detail": UNKNOWN_COHORT})


def test_descriptions_are_for_who_may_read_the_code_also_of_runs_long_ago(ask: Ask, store: Store) -> None:
    secret = {"description": "SELECT 'secret'"}
    keep(store, *(of_dag(run(night, execution(**secret), *others(1))) for night in (0, 1)))
    newer = (of_dag(replace(run(10 + n, execution("q9")), key=f"newer {n}")) for n in range(201))
    keep(store, *newer)
    params = {"cohort": COHORT, "before": "etl/0/load/-1/1", "after": "etl/1/load/-1/1"}
    assert "secret" in ask().get("/api/cohort/compare", params=params).text
    answer = ask(reader("etl")).get("/api/cohort/compare", params=params)
    assert answer.status_code == 200
    assert "secret" not in answer.text


def test_without_runs_to_compare_it_says_what_is_missing(ask: Ask, nights: tuple[Run, Run]) -> None:
    answer = ask().get("/api/cohort/compare", params={"cohort": COHORT, "before": nights[0].key})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("after: ")


def test_of_many_queries_those_that_differ_most_are_told(ask: Ask, store: Store) -> None:
    joins = tuple(replace(BROADCAST, signature=str(number)) for number in range(10))
    before = of_dag(run(0, *(execution(f"q{n}", 100, joins=joins) for n in range(500))))
    after = of_dag(run(1, *(execution(f"q{n}", 100 + n, joins=joins) for n in range(500))))
    keep(store, before, after)
    client = ask()
    params = {"cohort": COHORT, "before": before.key, "after": after.key}
    client.get("/api/cohort/compare", params=params)
    started = time.process_time()
    found = client.get("/api/cohort/compare", params=params).json()
    assert time.process_time() - started < 6.0
    assert (len(found["queries"]), found["more_queries"]) == (200, 300)
    assert found["queries"][0]["query"]["fingerprint"] == "q499"
