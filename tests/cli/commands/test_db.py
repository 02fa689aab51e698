"""`spark-tuner db prune`."""

from __future__ import annotations

import random
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.panel.nights import COHORT, FIRST, HINT, decided, keep, night, query, said
from tests.panel.people import Someone
from tuner.history.forget import forget
from tuner.history.old_runs import LooksAt
from tuner.history.store import Store
from tuner.loop.known_runs import known_marks, known_runs
from tuner.loop.looks_at import looks_at
from tuner.model.decision import Mode, Standing
from tuner.model.run import Run, RunState
from tuner.model.verdict import ModeChange, Ruling
from tuner.panel.app import create_app
from tuner.panel.models.home import Home
from tuner.policy.history_runs import HISTORY_RUNS

Call = Callable[..., Result]
CHANGE = decided(HINT, Standing.PROMOTED)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with three runs more than a decision looks at, long ago."""
    found = f"sqlite:///{tmp_path}/history.db"
    with Store.open(found) as store:
        keep(store, *(night(number - 9999, query("q1", 10)) for number in range(HISTORY_RUNS + 3)))
    return found


def test_it_says_what_it_lets_go_of(spark_tuner: Call, url: str) -> None:
    day = datetime.now(UTC) - timedelta(days=90)
    dry = spark_tuner("db", "prune", "--keep-days", 90, "--dry-run")
    assert f"would let go of the plans of 3 runs of before {day:%Y-%m-%d}, of 1 cohort: " in dry.said
    done = spark_tuner("db", "prune", "--keep-days", 90)
    assert (done.code, done.said) == (0, dry.said.replace("would let go", "let go"))
    again = spark_tuner("db", "prune", "--keep-days", 90)
    assert "no run of before" in again.said
    with Store.open(url) as store:
        assert store.count(COHORT) == HISTORY_RUNS + 3


def test_how_long_plans_are_kept_is_to_be_said(spark_tuner: Call, url: str) -> None:
    for wrong in ([], ["--keep-days", "0"], ["--keep-days", "99999999999"], ["--keep-days", "a month"]):
        assert spark_tuner("db", "prune", *wrong).code == 2
    with Store.open(url) as store:
        assert not any(store.plans_let_go(run.key) for run in store.runs(COHORT, 99))


def test_a_store_that_is_not_there_is_not_made(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("db", "prune", "--keep-days", 90, "--db", f"sqlite:///{tmp_path}/none.db")
    assert (result.code, result.out) == (1, "")
    assert "there is no history store; check --db" in result.err


def test_a_run_without_plans_is_not_compared(spark_tuner: Call, url: str) -> None:
    spark_tuner("db", "prune", "--keep-days", 90)
    with Store.open(url) as store:
        first, last = store.runs(COHORT, 99)[:: HISTORY_RUNS + 2]
    result = spark_tuner("compare", first.key, last.key)
    assert (result.code, result.out) == (1, "")
    assert f"run {first.key} cannot be compared: its plans were let go (spark-tuner db prune)" in result.err
    shown = spark_tuner("status", COHORT, "--runs", 99)
    assert shown.code == 0


def days_ago(days: int, *, steered: bool = True, cohort: str = COHORT, state: RunState = RunState.SUCCEEDED) -> Run:
    queries = (query("q1", 10 if steered else 20), query("q2", 30))
    number = (datetime.now(UTC) - FIRST).days - days
    return night(number, *queries, changes=[CHANGE] * steered, cohort=cohort, dag_id=cohort.split(".")[0], state=state)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of `many`, as each test begins with it."""
    found = tmp_path_factory.mktemp("many") / "history.db"
    with Store.open(f"sqlite:///{found}") as store:
        for first in range(119, -1, -20):
            keep(store, *(days_ago(days, steered=days < 117) for days in range(first, first - 20, -1)))
        keep(store, days_ago(51, cohort="old.job"), days_ago(50, cohort="old.job"))
        store.record(said(HINT, Ruling.PIN, -99, "as the SELECT needs it", cohort="old.job"))
        store.set_mode(ModeChange("old.job", Mode.AUTO, "bea", FIRST - timedelta(days=99)))
    return found


@pytest.fixture
def many(made: Path, tmp_path: Path) -> str:
    """A job of every night that was tuned 117 nights ago, and one that ran last 50 nights ago."""
    with closing(sqlite3.connect(made)) as begun, closing(sqlite3.connect(tmp_path / "history.db")) as own:
        begun.backup(own)
    return f"sqlite:///{tmp_path}/history.db"


def test_it_says_which_runs_and_cohorts_it_deletes(spark_tuner: Call, many: str) -> None:
    since = datetime.now(UTC) - timedelta(days=40)
    dry = spark_tuner("db", "prune", "--forget-days", 40, "--dry-run")
    # The newest 60 and one more stay, and the first three, which tell what the change gains, with the 15 that came after.
    assert f"would forget {120 - 61 - 18} runs of before {since:%Y-%m-%d}, of 1 cohort" in dry.said
    assert (
        f"would forget 1 cohort that has not run since {since:%Y-%m-%d}, with 2 runs and all else that was" in dry.said
    )
    done = spark_tuner("db", "prune", "--forget-days", 40)
    assert (done.code, done.said) == (0, dry.said.replace("would forget", "forgot"))
    again = spark_tuner("db", "prune", "--forget-days", 40)
    assert "no run of before" in again.said and "is there to forget" in again.said
    with Store.open(many) as store:
        assert (store.count(COHORT), store.names()) == (79, [COHORT])
        assert not any(store.plans_let_go(run.key) for run in store.runs(COHORT, 99))


def test_plans_and_runs_go_together(spark_tuner: Call, many: str) -> None:
    dry = spark_tuner("db", "prune", "--keep-days", 20, "--forget-days", 40, "--dry-run")
    assert "would let go of the plans of 60 runs" in dry.said
    assert "would forget 41 runs" in dry.said
    done = spark_tuner("db", "prune", "--forget-days", 40, "--keep-days", 20)
    assert (done.code, done.said) == (0, dry.said.replace("would let go", "let go").replace("would forget", "forgot"))
    with Store.open(many) as store:
        assert sum(store.plans_let_go(run.key) for run in store.runs(COHORT, 99)) == 19


def test_days_that_contradict_each_other_are_refused(spark_tuner: Call, many: str) -> None:
    # What others have proven is lent for 35 days.
    for wrong in (["--forget-days", 34], ["--forget-days", "a year"], ["--keep-days", 90, "--forget-days", 89], []):
        result = spark_tuner("db", "prune", *wrong)
        assert (result.code, result.out) == (2, "")
    result = spark_tuner("db", "prune", "--keep-days", 90, "--forget-days", 89)
    assert "89 is less than --keep-days 90" in " ".join(result.err.replace("\u2502", " ").split())
    assert "--forget-days N deletes the runs" in " ".join(spark_tuner("db", "prune").err.replace("\u2502", " ").split())
    assert spark_tuner("db", "prune", "--keep-days", 90, "--forget-days", 90, "--dry-run").code == 0
    with Store.open(many) as store:
        assert (store.count(COHORT), store.count("old.job")) == (120, 2)


def test_a_store_that_nothing_has_used_since_is_not_emptied(spark_tuner: Call, tmp_path: Path) -> None:
    """The tuner was off for some weeks, while cron was not; or the clock is wrong."""
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        keep(store, days_ago(60), days_ago(50), days_ago(80, cohort="old.job"))
        for more in ([], ["--dry-run"], ["--keep-days", 1]):
            result = spark_tuner("db", "prune", "--forget-days", 40, *more)
            assert (result.code, result.out, len(result.err.splitlines())) == (1, "", 1)
            assert f"began on {days_ago(50).started_at:%Y-%m-%d}" in result.err
        assert store.names() == [COHORT, "old.job"]
        assert not store.plans_let_go(days_ago(60).key)
        keep(store, days_ago(1, cohort="new.job"))
        assert spark_tuner("db", "prune", "--forget-days", 40).code == 0
        assert store.names() == ["new.job"]


def test_a_mapped_task_keeps_all_of_its_latest_dag_runs(tmp_path: Path) -> None:
    """Instances that nothing steered: beside the latest five DAG runs, and one more, the 50 that ran first, the last 50 before
    these, and after the first 50 as many as a DAG run has."""
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for days in range(9, -1, -1):
            one = days_ago(days, steered=False)
            instances = [
                replace(one, key=f"{one.key}/{index:02}", started_at=one.started_at + timedelta(seconds=index))
                for index in range(30)
            ]
            keep(store, *instances)
        found = looks_at(store, COHORT)
        assert found == LooksAt(newest=150, never_booked=50, first_after=30)
        before = known_runs(store, COHORT)
        assert forget(store, datetime.now(UTC) - timedelta(days=1), looks_at).runs == 300 - 151 - 50 - 50 - 30
        assert known_runs(store, COHORT) == before


def test_a_run_that_never_ended_is_named(spark_tuner: Call, many: str) -> None:
    with Store.open(many) as store:
        keep(store, days_ago(90, cohort="hung.job", state=RunState.RUNNING))
    result = spark_tuner("db", "prune", "--forget-days", 40)
    assert "kept 1 cohort of which no run began since" in result.said and "hung.job" in result.said


def test_what_was_deleted_is_asked_for_in_vain(spark_tuner: Call, many: str) -> None:
    deleted, left = days_ago(70).key, days_ago(1).key
    spark_tuner("db", "prune", "--forget-days", 40)
    for command in (["status", "old.job"], ["savings", "--cohort", "old.job"], ["compare", deleted, left]):
        result = spark_tuner(*command)
        assert (result.code, result.out) == (1, ""), command
        assert len(result.err.splitlines()) == 1 and "Traceback" not in result.err, result.err
    assert "old.job" not in spark_tuner("status").out
    assert spark_tuner("savings", "--weeks", 20).code == 0
    assert spark_tuner("status", COHORT, "--runs", 99).code == 0


def test_a_panel_that_is_open_says_so(spark_tuner: Call, many: str) -> None:
    with warnings.catch_warnings():
        # Starlette would rather have another client.
        warnings.simplefilter("ignore")
        from fastapi.testclient import TestClient
    app = create_app(lambda: Store.open(many), Someone, Home.AIRFLOW, None)
    client = TestClient(app, raise_server_exceptions=False)
    pages = ("", "/runs", "/recommendations", "/insights", "/queries", "/audit", "/plan")
    old = {"cohort": "old.job", "query": "q1"}
    assert client.get("/api/cohort", params=old).status_code == 200
    spark_tuner("db", "prune", "--forget-days", 40)
    for page in pages:
        answer = client.get(f"/api/cohort{page}", params=old)
        assert (answer.status_code, "no such cohort" in answer.text) == (404, True), page
    two = {"cohort": COHORT, "before": days_ago(70).key, "after": days_ago(1).key}
    answer = client.get("/api/cohort/compare", params=two)
    assert (answer.status_code, "no such run" in answer.text) == (404, True)
    assert client.get("/api/cohort/runs", params={"cohort": COHORT, "limit": 50, "offset": 50}).status_code == 200


@pytest.mark.parametrize(("nights", "at_once"), [(135, 5), pytest.param(150, 3, marks=pytest.mark.nightly)])
def test_decisions_and_books_are_as_those_of_a_store_that_forgets_nothing(
    tmp_path: Path, nights: int, at_once: int
) -> None:
    """Night after night, with nights that failed, were lost or had no change: what is read, and what is booked, is the same."""
    chance, forgotten = random.Random(7), 0
    with Store.open(f"sqlite:///{tmp_path}/all.db") as whole, Store.open(f"sqlite:///{tmp_path}/pruned.db") as pruned:
        for days in range(nights, 0, -at_once):
            runs = [a_night_of_chance(chance, days - number, nights) for number in range(at_once)]
            for store in (whole, pruned):
                keep(store, *runs)
            if days % 15 == 0:
                forgotten += forget(pruned, runs[-1].started_at - timedelta(days=10), looks_at).runs
                assert all_told(pruned) == all_told(whole)
                assert weeks(pruned) == pytest.approx(weeks(whole))
    assert forgotten >= 20


def a_night_of_chance(chance: random.Random, days: int, nights: int) -> Run:
    state = chance.choices([RunState.SUCCEEDED, RunState.FAILED, RunState.LOST], [12, 1, 1])[0]
    return days_ago(days, steered=days < nights - 10 and chance.random() < 0.96, state=state)


def all_told(store: Store) -> list[object]:
    """What decisions read of a cohort, its figures, and the runs by which savings name its changes."""
    (summary,) = store.cohorts()
    named = [(COHORT, one.change_id) for one in store.saved_by_change(None, FIRST - timedelta(days=999), 99)]
    last, usual = store.last_runs_with(named), store.usual_ms(COHORT)
    return [known_runs(store, COHORT), known_marks(store, COHORT), usual, summary.figures, last]


def weeks(store: Store) -> dict[str, float]:
    return {one.week: one.saved.seconds for one in store.saved_by_week(None, FIRST - timedelta(days=999))}
