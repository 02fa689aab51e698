"""No command prints a line wider than the terminal, nor cuts a name or a number: over long, wide and hostile names."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Result
from tests.cli.terminal.test_hostile_text import is_clean
from tests.nightly import START_MS, Spark
from tests.panel.nights import COHORT, decided, keep, night, outlook, query
from tests.replay.test_live_histories import DAY_MS
from tests.words.samples import REASONS
from tuner.cli.as_text.demo import show
from tuner.cli.as_text.explain_queries import show as show_explained
from tuner.cli.terminal.console import console
from tuner.demo.table import Change, Row
from tuner.history.store import Store
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.run import RunState
from tuner.spark.run_tags import COHORT as TAG
from tuner.steering.submit_conf import EVENT_LOG_DIR

Call = Callable[..., Result]
DAG = "finance_" + "consolidated_revenue_reporting_" * 2 + "daily"
NAMES = {
    "long": f"{DAG}.load",
    "wide": "財務.毎日の売上高と返品の集計を地域別および販売経路別に行う長い名前のタスク" * 2,
    "spaces": "monthly revenue by region and channel, net of returns " * 2 + "EUR",
}
DESCRIPTION = "monthly revenue by region and channel, net of returns, in EUR"
HOSTILE = "a\x1b[2J\x07\u202e[red]\nforged line " + "x" * 40


@pytest.fixture(params=[40, 80, 100])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


@pytest.fixture(params=NAMES.values(), ids=NAMES)
def cohort(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def check(result: Result, width: int, *whole: str) -> None:
    """It fits, has nothing that a terminal acts on, and every name of `whole`, folded wherever."""
    too_wide = [line for line in result.out.splitlines() if cell_len(line.rstrip()) > width]
    assert not too_wide
    assert is_clean(result.out)
    assert "…" not in result.out
    for name in whole:
        assert is_there(name, result.out)


def is_there(name: str, shown: str) -> bool:
    """In a line, folded, or one below the other in a column of a table."""
    if "".join(name.split()) in "".join(shown.split()):
        return True
    lines = [line for line in shown.splitlines() if line.strip()]
    starts = sorted({len(line) - len(line.lstrip()) for line in lines} | {1})
    columns = ("".join("".join(line[start:].split("  ")[0].split()) for line in lines) for start in starts)
    return any("".join(name.split()) in column for column in columns)


@pytest.fixture
def logs(tmp_path: Path, cohort: str) -> Path:
    directory = tmp_path / "logs"
    directory.mkdir()
    conf = {EVENT_LOG_DIR: directory.as_uri(), "spark.master": "local[2]", "spark.driver.memory": "4g", TAG: cohort}
    for number in range(3):
        spark = Spark(7, start_ms=START_MS + number * DAY_MS, description=f"{DESCRIPTION}\x1b[2J\nforged")
        spark.write(conf, f"local-{number}")
    return directory


@pytest.mark.parametrize(
    "command",
    [("harvest",), ("advise",), ("replay", "--backtest", "--resources", "--core-hour-price", "2")],
    ids=lambda command: command[0],
)
def test_what_reads_logs(spark_tuner: Call, logs: Path, cohort: str, width: int, command: tuple[str, ...]) -> None:
    name, *options = command
    result = spark_tuner(name, logs, *options)
    assert result.code == 0
    check(result, width, DESCRIPTION, *([cohort] if name in ("advise", "replay") else []))


def test_what_a_query_is_made_of(capsys: pytest.CaptureFixture[str], cohort: str, width: int) -> None:
    terms = {f"operator_{number}": 1234.5 for number in range(20)}
    seconds = ("measured_seconds", "predicted_seconds", "measured_core_seconds", "predicted_core_seconds")
    one = {"name": f"{DESCRIPTION}{HOSTILE}", "query": 12, "run": f"{cohort}/1", "terms_core_seconds": terms}
    show_explained([one | dict.fromkeys(seconds, 98765.4)])
    check(Result(0, capsys.readouterr().out, ""), width, DESCRIPTION, f"{cohort}/1")


def test_the_model_of_operator_times(spark_tuner: Call, width: int) -> None:
    result = spark_tuner("explain", "--model")
    assert result.code == 0
    check(result, width, "8 of 10 take", "within 2x")


def test_import_and_what_follows_it(spark_tuner: Call, logs: Path, cohort: str, width: int) -> None:
    imported = spark_tuner("import", logs)
    *said, place, _, command = imported.out.splitlines()
    check(replace(imported, out="\n".join(said)), width, cohort)
    # What is to be copied is one line, however long.
    assert place.strip().startswith("sqlite:///")
    assert command.startswith("  spark-tuner status ")
    check(spark_tuner("status"), width, cohort)
    status = spark_tuner("status", cohort)
    check(status, width, cohort, DESCRIPTION)
    short = status.out.partition("(id ")[2][:5]
    for done in (
        spark_tuner("pin", cohort, short, "--reason", "seen"),
        spark_tuner("mode", cohort, "suggest"),
        spark_tuner("objective", cohort, "cost"),
    ):
        assert done.code == 0
        *said, place = done.out.splitlines()
        check(replace(done, out="\n".join(said)), width, cohort)
        assert place.startswith("  store: sqlite:///")
    check(spark_tuner("status", cohort), width, cohort)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


def test_status_of_a_job_of_which_there_is_everything_to_say(
    spark_tuner: Call, store: Store, cohort: str, width: int
) -> None:
    standings = list(Standing)
    changes = []
    for number, reason in enumerate(REASONS):
        action = Action(ActionKind.HINT_JOIN, str(number), Hint.BROADCAST, "q1", (f"shop.{HOSTILE}",))
        one = decided(action, standings[number % len(standings)], gained=1234.5)
        changes.append(replace(one, why=reason, held=reason))
    queries = [query("q1", 123456.7, DESCRIPTION, 1), query("q2", 5.0, HOSTILE, 2)]
    failed = night(2, *queries, changes=changes, cohort=cohort, dag_id=DAG, state=RunState.FAILED)
    assert failed.outcome is not None
    failure = Failure(FailureKind.UNKNOWN, HOSTILE, "q1", HOSTILE)
    last = replace(failed, outcome=replace(failed.outcome, failure=failure, allocated_core_ms=10**13))
    steered = night(1, *queries, changes=changes, cohort=cohort, dag_id=DAG)
    keep(store, night(0, *queries, cohort=cohort, dag_id=DAG), steered, last)
    keep(store, night(3, *queries, cohort=cohort, dag_id=DAG), details=outlook(*changes))
    shown = spark_tuner("status", cohort, "--core-hour-price", "4")
    check(shown, width, cohort, DESCRIPTION, "123,461.7", "123,466.7", "2,777,778", "11,111,111")
    check(spark_tuner("status"), width, cohort, "123,461.7")
    keep(store, night(4, cohort=cohort, dag_id=DAG, state=RunState.LOST))
    keep(store, night(5, cohort=cohort, dag_id=DAG, state=RunState.RUNNING))
    check(spark_tuner("status"), width, cohort, "123,461.7", "2026-11-04", "no log,")


def test_two_runs_side_by_side(spark_tuner: Call, store: Store, width: int) -> None:
    names = {n: f"{n}_revenue_by_region_and_channel_net_of_all_returns" for n in range(1, 9)}
    slow, fast = ([query(f"q{n}", per * n, name, n) for n, name in names.items()] for per in (9000.0, 900.0))
    keep(store, night(0, *fast), night(1, *slow))
    result = spark_tuner("compare", COHORT)
    assert result.code == 0
    check(result, width, *names.values())


def test_the_demo(capsys: pytest.CaptureFixture[str], width: int) -> None:
    names = [f"{number:02d}-query-{number}" for number in (50, 72, 25, 17, 29, 40)]
    change = Change((f"reorder the joins in {DESCRIPTION}",), Standing.TRIAL, HOSTILE)
    runs = [
        Row(number, dict.fromkeys(names, 1234.5), (change,), "4 on trial, 6 promoted, 1 held") for number in range(1, 5)
    ]
    show(console(), runs)
    check(Result(0, capsys.readouterr().out, ""), width, DESCRIPTION, "7407.0")
    assert shutil.get_terminal_size().columns == width
