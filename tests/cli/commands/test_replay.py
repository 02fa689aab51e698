"""`spark-tuner replay` and `spark-tuner import`, as they are typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.replay.test_by_hand import STATIC, night, nights_with, three_nights
from tests.replay.test_live_histories import Nights
from tuner.cli.main import app
from tuner.cli.reading import import_watch
from tuner.errors import TunerError
from tuner.history.asked_cohorts import none_asked
from tuner.history.store import Store
from tuner.replay.cohort_replay import CohortReplay
from tuner.replay.local import LocalReplay
from tuner.units import GIB

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
SHARED = Path(__file__).parents[3].parent / "shared" / "eventlogs"


def spark_tuner(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def said(done: Result) -> str:
    """What stdout says, wherever its lines are folded."""
    return " ".join(done.stdout.split())


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return three_nights(tmp_path / "logs")


def test_json_has_a_line_for_each_run_in_time_order_then_totals(logs: Path) -> None:
    done = spark_tuner("replay", logs, "--json")
    assert done.exit_code == 0, done.output
    *rows, last = map(json.loads, done.stdout.splitlines())
    assert [row["run"] for row in rows] == ["local-0/1", "local-1/1", "local-2/1"]
    assert rows[0].keys() >= {"run", "decision", "advised", "predicted_seconds", "actual_seconds"}
    assert rows[1]["advised"][0]["standing"] == "trial"
    assert rows[1]["predicted_seconds"]["after"] < rows[1]["actual_seconds"] == 7.0
    totals = last["totals"]
    assert (totals["logs"], totals["runs"], totals["query_seconds"]) == (3, 3, 21.0)
    assert rows[0]["allocated_core_hours"] == pytest.approx(15 / 3600)
    assert (totals["allocated_core_hours"], totals["allocated_runs"]) == (pytest.approx(45 / 3600), 3)
    assert totals["cohorts"][0]["next"]["decision"] == "1 on trial"
    assert totals["cohorts"][0]["recommendations"][0]["runs"] == 2


def test_text_says_what_was_lacking_and_what_comes_next(logs: Path) -> None:
    done = spark_tuner("replay", logs)
    assert done.exit_code == 0
    assert "3 logs" in done.stdout
    assert "these runs could have saved" in done.stdout
    assert "etl: 3 runs" in done.stdout
    assert "the next run: 1 on trial" in done.stdout
    assert "/*+ BROADCAST(items) */ in statement 1 of 1" in said(done)
    assert "executors held 0.0125 core-hours, busy or idle\n" in done.stdout


def test_what_runs_had_set_is_told_apart(tmp_path: Path) -> None:
    text = said(spark_tuner("replay", nights_with({STATIC: "10485760"}, tmp_path), "--steering", "conf"))
    more = "if you take out settings that they run with"
    assert f"these runs could have saved 0.00189 core-hours {more}; the next runs should save 1.7 s {more}" in text
    told = f"the job runs with {STATIC}=10485760: where it sets that itself, the tuner leaves it"
    assert text.count(told) == 2  # in the next run, and of what these could have saved
    *_, last = spark_tuner("replay", tmp_path / "events", "--steering", "conf", "--json").stdout.splitlines()
    totals = json.loads(last)["totals"]
    assert (totals["saved_core_hours"], totals["saved_core_hours_if_unset"]) == (0, pytest.approx(0.0019, rel=0.01))
    ((cohort,),) = (totals["cohorts"],)
    assert cohort["recommendations"][0]["already_set"] == cohort["next"]["already_set"] == {STATIC: "10485760"}
    advice = spark_tuner("advise", tmp_path / "events", "--steering", "conf")
    assert said(advice).count(told) == 3
    advised = json.loads(spark_tuner("advise", tmp_path / "events", "--steering", "conf", "--json").stdout)
    assert [one["already_set"] for one in advised["recommendations"]] == [{STATIC: "10485760"}] * 3


def test_with_a_price_it_speaks_in_money(logs: Path) -> None:
    *_, last = spark_tuner("replay", logs, "--json", "--core-hour-price", "2").stdout.splitlines()
    totals = json.loads(last)["totals"]
    assert totals["cost"] == pytest.approx(2 * 45 / 3600)
    assert totals["saved_cost"] == pytest.approx(2 * totals["saved_core_hours"])
    text = said(spark_tuner("replay", logs, "--core-hour-price", "2"))
    assert "at 2.00 a core-hour: executors of 3 runs cost 0.025; what could have been saved is worth " in text
    assert "core-hour:" not in spark_tuner("replay", logs).stdout


def test_what_no_log_tells_costs_nothing_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    night(tmp_path / "logs", 5, 7, ended=False)
    *_, last = spark_tuner("replay", tmp_path / "logs", "--json", "--core-hour-price", "2").stdout.splitlines()
    totals = json.loads(last)["totals"]
    assert (totals["runs"], totals["allocated_runs"], totals["cost"]) == (1, 0, None)


def test_it_tells_what_is_asked_for_and_never_used(logs: Path) -> None:
    night(logs, 3, 7, heap_bytes=GIB)
    done = spark_tuner("replay", logs, "--resources")
    assert done.exit_code == 0, done.output
    # Of 4 GiB for 7.5 s in each of four runs, 3 GiB were not in use in the one run that looked.
    text = " ".join(done.stdout.split())
    assert "executors held 0.03 GiB-hours; of 0.01 in which Spark looked, 0.01 (75.0%) were never in use" in text
    assert "etl: 4 runs held 0.03 GiB-hours, 0.01 of them never in use, and 0.02 core-hours, 100.0% idle" in text
    assert "executors 1 x 4.3 GB, 1.1 GB at the fullest; driver 4.3 GB, 1.1 GB at the fullest; GC 0%" in text
    assert "say nothing" not in text
    *_, last = spark_tuner("replay", logs, "--json").stdout.splitlines()
    ((told),) = (cohort["resources"] for cohort in json.loads(last)["totals"]["cohorts"])
    assert (told["held_runs"], told["sampled_runs"], told["most_executor_heap_bytes"]) == (4, 1, GIB)
    assert told["unused_gib_hours"] == pytest.approx(3 * 7.5 / 3600)


def test_logs_without_samples_of_memory_say_so(logs: Path) -> None:
    done = spark_tuner("replay", logs, "--resources")
    text = " ".join(done.stdout.split())
    assert "etl: 3 runs held 0.03 GiB-hours, nobody knows how many in use" in text
    assert "executors 1 x 4.3 GB, not looked at; driver 4.3 GB, not looked at" in text
    assert "1 cohort's logs say nothing of executors' memory: spark.eventLog.logStageExecutorMetrics=true" in text


def test_an_objective_is_one_of_three(logs: Path) -> None:
    rows = {spark_tuner("replay", logs, "--json", "--objective", name).stdout for name in ("time", "cost", "balanced")}
    assert len(rows) == 1  # their executors are fixed
    assert spark_tuner("replay", logs, "--objective", "fun").exit_code == 2


def test_a_live_history_is_told_as_one(tmp_path: Path) -> None:
    nights = Nights(tmp_path)
    for _ in range(3):
        nights.run(7, 4)
    done = spark_tuner("replay", tmp_path / "events", "--steering", "conf", "--backtest")
    assert "decisions: 3 of 3 are the same as the live tuner's" in done.stdout
    assert "predictions, checked on 1 recommended change that a later run had (1 by the tuner)" in said(done)
    # The clock says 7 s before, processors the same as after: the log of one run was copied.
    assert "took 4.0 s instead of 5.3 s in run etl/2/load/-1/1" in said(done)


def test_one_cohort_and_one_stretch_of_time_can_be_chosen(logs: Path) -> None:
    assert spark_tuner("replay", logs, "--cohort", "e*").exit_code == 0
    none = spark_tuner("replay", logs, "--cohort", "other")
    assert none.exit_code == 1
    since = spark_tuner("replay", logs, "--since", "2023-11-15", "--json")
    assert [json.loads(line).get("run") for line in since.stdout.splitlines()][:-1] == ["local-1/1", "local-2/1"]
    named = spark_tuner("replay", logs, "--cohort-pattern", "^e", "--json")
    assert json.loads(named.stdout.splitlines()[0])["cohort"] == "e"


@pytest.mark.parametrize(
    "wrong",
    [
        *(("--cohort-pattern", pattern) for pattern in ("(", "a{99999999999}", "(" * 5000)),
        ("--spark", "local"),
        ("--conf", "a=b"),
        ("--since", "x"),
        *(("--months", months) for months in ("-1", "1000000", "inf", "nan")),
        ("",),
    ],
)
def test_bad_usage_is_2(logs: Path, wrong: tuple[str, ...]) -> None:
    assert spark_tuner("replay", logs, *wrong).exit_code == 2


def test_an_import_promises_no_change_that_the_next_run_cannot_have(logs: Path, tmp_path: Path) -> None:
    """These logs are of runs that nobody asked for the planner's estimates."""
    url = f"sqlite:///{tmp_path}/live.db"
    assert said(spark_tuner("replay", logs)).count("on trial")
    imported, status = (said(spark_tuner(*asked, "--db", url)) for asked in (("import", logs), ("status", "etl")))
    assert "the next run: 1 held" in imported
    assert "on trial" not in imported + status
    assert "is not recorded: it waits for a run that records it" in status


def test_an_import_for_jobs_without_the_agent_holds_nothing_for_want_of_estimates(logs: Path, tmp_path: Path) -> None:
    done = spark_tuner("import", logs, "--steering", "conf", "--db", f"sqlite:///{tmp_path}/live.db")
    assert "the next run: 1 on trial" in said(done)


@pytest.mark.parametrize("every", ["0", "1e12", "inf", "nan"])
def test_an_import_waits_for_a_week_at_most(logs: Path, every: str) -> None:
    assert spark_tuner("import", logs, "--watch", "--every", every).exit_code == 2


def test_a_pattern_that_names_no_cohort_says_which_there_are(logs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/live.db"
    for command in (("replay", logs), ("import", logs, "--db", url)):
        done = spark_tuner(*command, "--cohort", "nosuch*")
        assert done.exit_code == 1
        assert done.stderr == f"spark-tuner: {none_asked('nosuch*', ['etl'])}\n"
        assert "no cohort matches" not in spark_tuner(*command, "--cohort", "etl", "--since", "2100-01-01").output


def test_that_nothing_started_since_then_is_told_in_a_line(logs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/live.db"
    for command in (("replay", logs), ("import", logs, "--db", url)):
        done = spark_tuner(*command, "--since", "2100-01-01", "--months", 2)
        assert done.exit_code == 1
        assert done.stderr == (
            "spark-tuner: no application that is asked for started since 2100-01-01 00:00 UTC (3 logs read)\n"
        )
        assert spark_tuner(*command, "--since", "2000-01-01", "--months", 2).stderr == ""


def test_a_log_that_was_named_and_cannot_be_read_is_a_failure(logs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/live.db"
    bad = logs / "local-9.zstd"
    bad.write_bytes((ZSTD_MAGIC + b"no frame") * 3)
    for command in (("replay",), ("import", "--db", url)):
        assert spark_tuner(*command, logs).exit_code == 0
        done = spark_tuner(*command, logs, bad)
        assert done.exit_code == 1
        assert done.stderr.startswith(f"spark-tuner: {bad}: no application could be read")


def test_an_import_leaves_a_log_that_is_still_written(logs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/live.db"
    night(logs, 5, 7, ended=False)
    done = spark_tuner("import", logs, "--db", url, "--json")
    assert done.exit_code == 0, done.output
    (left,) = json.loads(done.stdout)["unread"]
    assert left["log"].endswith("local-5.inprogress")
    assert left["why"].startswith("is still being written")
    with Store.open(url) as store:
        assert store.count("etl") == 3


def test_an_import_of_nothing_but_logs_that_are_still_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    night(tmp_path / "logs", 5, 7, ended=False)
    done = spark_tuner("import", tmp_path / "logs", "--db", f"sqlite:///{tmp_path}/live.db")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "is still being written" in said(done)


@pytest.mark.parametrize("command", [("replay",), ("import", "--db", "sqlite:///{}/live.db")])
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"INFO no event\n" * 50, "no event log among the files that were given, only a.log, b.log"),
        ((ZSTD_MAGIC + b"no frame") * 3, "no application in 2 logs"),
    ],
)
def test_a_directory_without_an_application_says_so(
    command: tuple[str, ...], content: bytes, why: str, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("a.log", "b.log"):
        (folder / name).write_bytes(content)
    done = spark_tuner(*(word.format(tmp_path) for word in command), folder)
    assert (done.exit_code, done.stderr) == (1, f"spark-tuner: {why}\n")


def test_a_path_without_logs_is_an_error_and_stops_nothing_else(logs: Path, tmp_path: Path) -> None:
    done = spark_tuner("replay", logs, tmp_path / "nowhere", "--json")
    assert done.exit_code == 1
    assert len(done.stdout.splitlines()) == 4


def test_a_replay_can_be_kept_for_the_panel(logs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/replay.db"
    assert spark_tuner("replay", logs, "--db", url).exit_code == 0
    with Store.open(url) as store:
        (cohort,) = store.cohorts()
    assert (cohort.cohort, cohort.runs) == ("etl", 3)


def test_import_seeds_the_history(logs: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/live.db"
    done = spark_tuner("import", logs, "--as", "etl.load", "--db", url)
    assert done.exit_code == 0, done.output
    assert "etl.load: 3 of 3 runs imported; the next run: 1 held" in done.stdout
    assert f"stored in:\n  {url}\nlook at it:\n  spark-tuner status etl.load --db {url}\n" in done.stdout
    again: Any = json.loads(spark_tuner("import", logs, "--as", "etl.load", "--db", url, "--json").stdout)
    assert again["store"] == url
    assert again["cohorts"] == [{"cohort": "etl.load", "runs": 3, "imported": 0, "next": "1 held"}]
    status = spark_tuner("status", "etl.load", "--db", url)
    assert "imported/local-2/1" in status.stdout


@pytest.mark.parametrize("watch", [(), ("--watch",)])
def test_an_import_is_read_and_walked_by_so_many_processes(
    logs: Path, tmp_path: Path, watch: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int | None]] = []
    read, walk = LocalReplay.read, LocalReplay.walk

    def read_by(self: LocalReplay, sources: Any, processes: int | None = None, *more: Any) -> None:
        asked.append(("read", processes))
        read(self, sources, 1, *more)

    def walk_by(self: LocalReplay, processes: int | None = None) -> Iterator[CohortReplay]:
        asked.append(("walk", processes))
        return walk(self, 1)

    def look_once(watched: import_watch.WatchedImport, *_: object) -> None:
        watched.look()

    monkeypatch.setattr(LocalReplay, "read", read_by)
    monkeypatch.setattr(LocalReplay, "walk", walk_by)
    monkeypatch.setattr(import_watch, "look_until_ended", look_once)
    url = f"sqlite:///{tmp_path}/history.db"
    done = spark_tuner("import", logs, "--as", "etl.load", "--db", url, "--processes", 3, *watch)
    assert done.exit_code == 0, done.output
    assert asked == [("read", 3), ("walk", 3)]
    with Store.open(url) as store:
        assert store.count("etl.load") == 3


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared event logs are not at hand")
def test_real_logs_of_others_are_all_read_and_what_is_not_used_is_named() -> None:
    done = spark_tuner("replay", SHARED)
    assert done.exit_code == 0, done.output
    assert "11 logs" in done.stdout
    assert "NDS - Power Run" in done.stdout
    assert "unused outer join in query72" in done.stdout
    assert "join order in query72" in done.stdout
    assert "nothing to recommend: no change should gain enough" in done.stdout
    assert "113cpu: 1 run" in done.stdout  # A cluster of Databricks: its log has no end, but its work has one.
    assert "truncated_eventlog: of the same run as" in said(done)


def test_where_the_result_cannot_go_is_said_before_the_walk(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tuner.cli.commands.replay.log_sources", None)
    for options, why in (
        (("--report", tmp_path / "none" / "page.html"), "there is no directory"),
        (("--report", tmp_path), "is a directory"),
        (("--db", "nonsense"), ""),
    ):
        done = spark_tuner("replay", logs, *options)
        assert isinstance(done.exception, TunerError)
        assert why in str(done.exception)


def test_a_store_says_how_many_cohorts_it_left_out(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tuner.cli.commands.replay.KEPT_COHORTS", 0)
    done = spark_tuner("replay", logs, "--db", f"sqlite:///{tmp_path}/replay.db")
    assert done.exit_code == 0
    assert "the store has the 0 cohorts that take most core-hours, not 1 other;" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("replay", "--spark", "local[2]", "--out", "o", "--processes", 2), "leave --processes out"),
        (("harvest", "--spark", "local[2]", "--out", "o", "--processes", 2), "leave --processes out"),
        (("import", "--every", 5), "alone it changes nothing: give --watch, too"),
    ],
)
def test_what_would_be_ignored_is_refused(logs: Path, arguments: tuple[object, ...], told: str) -> None:
    command, *options = arguments
    done = spark_tuner(command, logs, *options)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.replace("│", " ").split())
