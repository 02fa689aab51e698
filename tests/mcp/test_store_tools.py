"""Tools answer what the panel shows, from a real store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.panel.nights import COHORT, PARTITIONS, decided, keep, night, query
from tuner.history.store import Store
from tuner.mcp.explained_run import UNKNOWN_RUN
from tuner.mcp.two_runs import NONE_BEFORE, NOT_MEASURED
from tuner.mcp.two_runs import UNKNOWN_RUN as NOT_TO_COMPARE
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.insight import Insight, InsightKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import Origin, Run, RunDetails, RunState
from tuner.panel.access import UNKNOWN_COHORT

from .conftest import Call

Refused = Callable[..., str]
KEY = f"etl/{COHORT}/{{}}/1"
PICTURE = PlanPicture(
    "q1",
    "",
    (
        PlanStep(StepKind.JOIN, "BroadcastHashJoin", "days", rows=2000, inputs=(1, 2), seconds=3.0),
        PlanStep(StepKind.SCAN, "Scan", "shop.sales", rows=5000, bytes=10**6, seconds=8.5),
        PlanStep(StepKind.SCAN, "Scan", "shop.days"),
    ),
)


@pytest.fixture
def filled(store: Store) -> Store:
    """Three plain nights and one with a change on trial, which then has won; another change waits."""
    plain = [night(n, query("q1", 20, "daily sales"), query("q2", 10)) for n in range(3)]
    trial = decided(standing=Standing.TRIAL)
    tried = night(3, query("q1", 11, "daily sales"), query("q2", 10), changes=[trial])
    won = decided(standing=Standing.PROMOTED, gained=9.0, status="20 s became 11 s")
    waits = decided(PARTITIONS, Standing.PROPOSED, "q1 has 200 partitions of 1 MB")
    insight = Insight(InsightKind.SPILL, "Sort", "q1", 4.0, (), "it spilled 3 GB", "give it more memory", "")
    details = RunDetails(Decision(Mode.AUTO, (won, waits)), (insight,), (PICTURE,))
    keep(store, *plain, tried, details=details)
    return store


def test_cohorts_are_listed_searched_sorted_and_paged(call: Call, store: Store) -> None:
    held = decided(standing=Standing.HELD)
    for name in ("a.load", "b.load", "c.other"):
        keep(store, night(0, query("q", 1), cohort=name, dag_id=name[0], changes=[held] if name[0] == "c" else []))

    def names(**asked: object) -> list[str]:
        return [item["cohort"] for item in call("list_cohorts", **asked)["items"]]

    assert names() == ["a.load", "b.load", "c.other"]
    assert names(sort="name", reverse=True) == ["c.other", "b.load", "a.load"]
    assert names(search="b.") == names(dag_id="b") == ["b.load"]
    assert names(state="held") == ["c.other"]
    assert names(limit=1, offset=1) == ["b.load"]
    assert names(failed=True) == names(waits=True) == names(tag="no such") == []
    assert call("list_cohorts", limit=1)["total"] == 3


def test_a_cohort_is_explained_with_what_is_in_force_what_waits_and_why(call: Call, filled: Store) -> None:
    found = call("explain_cohort", cohort=COHORT)
    assert (found["cohort"]["state"], found["cohort"]["in_force"], found["cohort"]["waiting"]) == ("tuned", 1, 1)
    waits, won = found["recommendations"]["items"]
    assert (waits["waits"], waits["sentence"]) == (True, "q1 has 200 partitions of 1 MB")
    assert (won["standing"], won["status"], won["gained_seconds"]) == ("promoted", "20 s became 11 s", 9.0)
    assert won["evidence"] == [{"what": "build side", "value": 14.3e6, "unit": "bytes", "of": "shop.days"}]
    (insight,) = found["insights"]["items"]
    assert (insight["kind"], insight["seconds"], insight["query"]["name"]) == ("spill", 4.0, "daily sales")


def test_runs_are_listed_newest_first_and_each_is_explained(call: Call, filled: Store) -> None:
    runs = call("list_runs", cohort=COHORT, limit=2)
    assert [run["key"] for run in runs["items"]] == [KEY.format(3), KEY.format(2)]
    assert runs["total"] == 4
    found = call("explain_run", cohort=COHORT, run=KEY.format(3))
    (change,) = found["changes"]["items"]
    assert (change["standing"], change["why"]) == ("trial", "days has 14.3 MB: about 9.0 s less")
    assert (change["predicted"]["before"], change["predicted"]["after"]) == (20.0, 11.0)
    assert [one["name"] for one in change["queries"]] == ["daily sales"]
    assert (found["run"]["query_seconds"], found["failure"]) == (21.0, "")
    assert call("explain_run", cohort=COHORT, run=KEY.format(0))["changes"]["items"] == []


def test_queries_are_listed_with_what_they_gained(call: Call, filled: Store) -> None:
    found = call("list_queries", cohort=COHORT)
    assert [(one["query"]["name"], one["latest_seconds"]) for one in found["items"]] == [
        ("daily sales", 11.0),
        ("query 0", 10.0),
    ]
    assert found["together"]["latest_seconds"] == 21.0
    by_name = call("list_queries", cohort=COHORT, sort="name", descending=False, limit=1)
    assert [one["query"]["name"] for one in by_name["items"]] == ["daily sales"]


def test_a_plan_is_lines_of_text_with_its_inputs_below_each_step(call: Call, filled: Store) -> None:
    found = call("query_plan", cohort=COHORT, query="q1")
    assert found["query"]["name"] == "daily sales"
    assert found["before"] is None
    assert [action["words"] for action in found["after"]["in_force"]] != []
    assert found["after"]["lines"]["items"] == [
        "BroadcastHashJoin days, 2.0k rows, 3.0 s",
        "  Scan shop.sales, 5.0k rows, 1.0 MB, 8.5 s (the most)",
        "  Scan shop.days",
    ]
    second = call("query_plan", cohort=COHORT, query="q1", limit=1, offset=1)["after"]["lines"]
    assert (second["total"], second["items"]) == (3, ["  Scan shop.sales, 5.0k rows, 1.0 MB, 8.5 s (the most)"])
    assert call("query_plan", cohort=COHORT, query="no such")["after"] is None


def test_the_latest_run_is_compared_with_the_one_before_it(call: Call, filled: Store) -> None:
    latest = call("compare_runs", cohort=COHORT)
    assert (latest["before"]["key"], latest["after"]["key"]) == (KEY.format(2), KEY.format(3))
    assert latest["difference_seconds"] == pytest.approx(-9.0)
    named = call("compare_runs", cohort=COHORT, before=KEY.format(0), after=KEY.format(1), limit=1)
    assert (named["before"]["key"], named["after"]["key"]) == (KEY.format(0), KEY.format(1))
    assert (len(named["queries"]), named["more_queries"]) == (1, 1)
    earlier = call("compare_runs", cohort=COHORT, after=KEY.format(1))
    assert earlier["before"]["key"] == KEY.format(0)


def test_a_run_whose_plans_were_let_go_is_not_compared(refused: Refused, filled: Store) -> None:
    filled.let_go_of_plans([KEY.format(2)])
    said = f"compare_runs: run {KEY.format(2)} cannot be compared: its plans were let go (spark-tuner db prune)"
    assert refused("compare_runs", cohort=COHORT) == f"{said}; name another one"


def test_a_run_that_failed_is_nothing_to_be_compared_with(call: Call, store: Store) -> None:
    nights = [night(0, query("q1", 9)), night(1, query("q1", 30), state=RunState.FAILED), night(2, query("q1", 10))]
    keep(store, *nights)
    assert call("compare_runs", cohort=COHORT)["before"]["key"] == KEY.format(0)


def test_an_instance_of_a_mapped_task_is_compared_with_itself_the_time_before(call: Call, store: Store) -> None:
    def instance(of_night: int, index: int) -> Run:
        found, key = night(of_night, query("q1", 9)), f"etl/{of_night}/{index}/1"
        at = found.started_at + timedelta(minutes=index)
        return replace(found, key=key, started_at=at, origin=Origin("etl", f"{of_night}", "load", index))

    keep(store, *(instance(of_night, index) for of_night in range(2) for index in range(3)))
    for asked, keys in {"": ("etl/0/2/1", "etl/1/2/1"), "etl/1/0/1": ("etl/0/0/1", "etl/1/0/1")}.items():
        found = call("compare_runs", cohort=COHORT, after=asked)
        assert (found["before"]["key"], found["after"]["key"]) == keys


def test_what_cannot_be_compared_is_said_with_what_to_do(refused: Refused, store: Store) -> None:
    keep(store, night(0, state=RunState.RUNNING))
    assert refused("compare_runs", cohort=COHORT) == f"compare_runs: {NOT_MEASURED}"
    keep(store, night(1, query("q1", 9)))
    assert refused("compare_runs", cohort=COHORT) == f"compare_runs: {NONE_BEFORE}"
    assert refused("compare_runs", cohort=COHORT, after="no such") == f"compare_runs: {NONE_BEFORE}"
    asked = {"before": KEY.format(0), "after": KEY.format(1)}
    assert refused("compare_runs", cohort=COHORT, **asked) == f"compare_runs: {NOT_TO_COMPARE}"


def test_savings_are_summed_over_the_weeks_asked_for(call: Call, filled: Store) -> None:
    found = call("savings", weeks=104)
    assert found["cohorts_in_all"] == 1
    assert [one["cohort"] for one in found["cohorts"]] == [COHORT]
    assert found["total"]["seconds"] == pytest.approx(9.0, rel=0.2)
    assert [one["words"] for one in found["changes"]] == ["/*+ BROADCAST(days) */ in daily sales"]
    assert call("savings", weeks=1)["changes"] == []


def test_savings_of_many_cohorts_have_those_that_gained_and_lost_most(call: Call, store: Store) -> None:
    for number in range(5):
        plain = [night(n, query("q1", 20), cohort=f"c{number}") for n in range(3)]
        trial = decided(standing=Standing.TRIAL)
        keep(store, *plain, night(3, query("q1", 11 + number), cohort=f"c{number}", changes=[trial]))
    found = call("savings", weeks=104, limit=2)
    assert [one["cohort"] for one in found["cohorts"]] == [one["cohort"] for one in found["changes"]] == ["c0", "c4"]
    assert found["cohorts_in_all"] == 5


def test_a_run_of_another_cohort_is_as_one_that_does_not_exist(refused: Refused, filled: Store) -> None:
    keep(filled, night(0, query("q9", 5), cohort="other", dag_id="other"))
    for key in ("other/other/0/1", "nowhere"):
        assert refused("explain_run", cohort=COHORT, run=key) == f"explain_run: {UNKNOWN_RUN}"
        assert (
            refused("compare_runs", cohort=COHORT, before=key, after=KEY.format(3)) == f"compare_runs: {NOT_TO_COMPARE}"
        )


@pytest.mark.parametrize("tool", ["explain_cohort", "list_runs", "list_queries", "compare_runs"])
def test_a_cohort_that_is_not_there(tool: str, refused: Refused, filled: Store) -> None:
    assert refused(tool, cohort="no such") == f"{tool}: {UNKNOWN_COHORT}"


def test_nothing_is_written(call: Call, filled: Store) -> None:
    before = (filled.verdicts(COHORT), filled.mode_changes(COHORT), filled.marks(COHORT, 10), filled.cohorts())
    key = {"cohort": COHORT, "run": KEY.format(3)}
    asked = {"explain_run": key, "query_plan": {"cohort": COHORT, "query": "q1"}, "savings": {}, "list_cohorts": {}}
    for name in ("explain_cohort", "list_runs", "list_queries", "compare_runs"):
        asked[name] = {"cohort": COHORT}
    for name, arguments in asked.items():
        call(name, **arguments)
    after = (filled.verdicts(COHORT), filled.mode_changes(COHORT), filled.marks(COHORT, 10), filled.cohorts())
    assert after == before
