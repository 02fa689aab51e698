"""`compare`: the first lines say what is slower, by how much, and why; runs are named as people name them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.cli.logs import write_log
from tests.compare.jobs import GB, execution, join, others, run
from tests.policy.histories import conf, hint, recommend
from tuner.history.store import Store
from tuner.model.run import Origin, Run, RunState
from tuner.model.strategy import Strategy

Call = Callable[..., Result]
GOLDEN = Path(__file__).parents[2] / "golden" / "logs" / "4.3.0"
REAL = Path(__file__).parents[3] / "../shared/eventlogs"
(CHANGE,) = recommend(hint("q1"))


def keep(url: str, *runs: Run) -> None:
    with Store.open(url) as store:
        for one in runs:
            store.begin(one.begun)
            if one.state is not RunState.RUNNING:
                store.finish(one.key, one.state, one.ended_at or one.started_at, one.outcome)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/history.db"


@pytest.fixture
def nights(url: str) -> tuple[Run, Run]:
    """A night in which one query lost its broadcast and another read twice as much."""
    before = run(0, execution(joins=(join(Strategy.BROADCAST_HASH),)), execution("q2", 80), *others(), changes=[CHANGE])
    after = run(1, execution(work=800, joins=(join(),)), execution("q2", 160, input_bytes=2 * GB), *others())
    keep(url, before, after)
    return before, after


def test_the_first_lines_say_what_is_slower_by_how_much_and_why(spark_tuner: Call, nights: tuple[Run, Run]) -> None:
    result = spark_tuner("compare", "etl.load")
    assert (result.code, result.err) == (0, "")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    assert lines[:4] == [
        "before: etl/0/load/-1/1, 2026-11-01 02:00 UTC, succeeded, 2 min 0 s",
        "after : etl/1/load/-1/1, 2026-11-02 02:00 UTC, succeeded, 3 min 0 s",
        "",
        "60.0 s slower (50.0%): 3 min 0 s instead of 2 min 0 s",
    ]
    assert lines[5] == "seconds from why"
    assert lines[6].startswith("+50.0 s tuner's changes query of q1: without the tuner's change: /*+")
    assert "+10.0 s data query of q2: its files have 2.0 GB instead of 1.0 GB (2.0" in result.said
    assert "query of q1 50.0 s 100.0 s +50.0 s 83.3% tuner's changes" in lines
    of_joins = "1.0M rows, 5.0 GB"
    assert f"join sales ⋈ days: sort merge join, {of_joins} instead of broadcast hash join, {of_joins}" in result.said
    assert "in force before: /*+ BROADCAST(dim) */ in query of q1" in lines


def test_no_line_of_tables_is_wider_than_a_terminal(spark_tuner: Call, nights: tuple[Run, Run]) -> None:
    out = spark_tuner("compare", "etl.load").out
    tables = [line for line in out.splitlines() if line.startswith(" ") and not line.startswith("  ")]
    assert tables
    assert max(map(len, tables)) <= 100


@pytest.mark.parametrize(
    "named",
    [
        ["etl/0/load/-1/1", "etl/1/load/-1/1"],
        ["etl/0", "etl/1"],
        ["0/load", "1/load"],
        ["etl/1"],
        ["etl/0", "etl/1", "--cohort", "etl.load"],
    ],
)
def test_runs_are_named_by_their_keys_or_a_part_of_these(
    spark_tuner: Call, nights: tuple[Run, Run], named: list[str]
) -> None:
    found = json.loads(spark_tuner("compare", *named, "--json").out)
    assert [found[side]["key"] for side in ("before", "after")] == [one.key for one in nights]
    assert found["difference_seconds"] == 60.0


def test_as_json(spark_tuner: Call, nights: tuple[Run, Run]) -> None:
    found = json.loads(spark_tuner("compare", "etl.load", "--json").out)
    assert [(one["kind"], one["seconds"]) for one in found["causes"]] == [
        ("changes", pytest.approx(50.0)),
        ("data", pytest.approx(10.0)),
    ]
    first = found["queries"][0]
    assert (first["name"], first["difference_seconds"], first["causes"][0]["code"]) == ("query of q1", 50.0, "changes")
    assert first["plan"][0]["after"] == "SortMergeJoin"
    assert first["operators"][0]["before"]["how"] == "BroadcastHashJoin"
    assert found["changes"] == [
        {"id": CHANGE.id, "words": "/*+ BROADCAST(dim) */ in query of q1", "in_effect": "before"}
    ]


def test_an_edited_query_is_one_query_and_nothing_did_not_run(spark_tuner: Call, url: str) -> None:
    old, new = (
        execution(name, work, description="daily sales", relations=("shop.days", "shop.sales", *more))
        for name, work, more in (("old", 400, ()), ("new", 800, ("shop.customers",)))
    )
    keep(url, run(0, old, *others()), run(1, new, *others()))
    said = spark_tuner("compare", "etl.load").said
    assert "+50.0 s statement daily sales: its statement is another one: it also reads customers" in said
    assert "daily sales 50.0 s 100.0 s +50.0 s 100.0% statement" in said
    assert "did not run" not in said and "(query 0)" not in said
    (first, *_) = json.loads(spark_tuner("compare", "etl.load", "--json").out)["queries"]
    assert (first["fingerprint"], first["name"], first["causes"][0]["kind"]) == ("new", "daily sales", "statement")
    assert first["causes"][0]["numbers"]["fingerprint_before"] == "old"


def test_of_a_cohort_the_latest_run_is_compared_with_the_last_that_succeeded(spark_tuner: Call, url: str) -> None:
    keep(
        url,
        run(0, execution()),
        run(1, execution(), state=RunState.FAILED),
        replace(run(2), state=RunState.LOST, outcome=None),
        run(3, execution(), state=RunState.FAILED),
        replace(run(4), state=RunState.RUNNING, outcome=None),
    )
    found = json.loads(spark_tuner("compare", "etl.load", "--json").out)
    assert [found[side]["key"] for side in ("before", "after")] == ["etl/0/load/-1/1", "etl/3/load/-1/1"]
    shown = spark_tuner("compare", "etl.load").out
    assert "the run after failed: what it would have run after that is missing" in shown


def test_a_newer_run_that_was_not_measured_is_told_beside_the_comparison(
    spark_tuner: Call, nights: tuple[Run, Run], url: str
) -> None:
    assert "newer" not in spark_tuner("compare", "etl.load").out
    assert json.loads(spark_tuner("compare", "etl.load", "--json").out)["newer"] is None
    newer = replace(run(2), state=RunState.RUNNING, outcome=None)
    keep(url, newer)
    for state in ("running", "ended, log not read yet"):
        line = spark_tuner("compare", "etl.load").out.splitlines()[2]
        assert line == f"newer, not measured: {newer.key}, 2026-11-03 02:00 UTC, {state}"
        with Store.open(url) as store:
            store.keep_success(newer.key, newer.started_at)
    assert json.loads(spark_tuner("compare", "etl.load", "--json").out)["newer"]["key"] == newer.key
    assert "not measured: it has ended, and its log was not read yet" in spark_tuner("compare", "etl/0", newer.key).err


def test_an_instance_of_a_mapped_task_is_compared_with_itself_the_time_before(spark_tuner: Call, url: str) -> None:
    def instance(night: int, index: int) -> Run:
        found, key = run(night, execution()), f"etl/{night}/load/{index}/1"
        at = found.started_at + timedelta(minutes=index)
        return replace(found, key=key, started_at=at, origin=Origin("etl", f"{night}", "load", index))

    keep(url, *(instance(night, index) for night in range(2) for index in range(3)))

    def compared(*named: str) -> list[str]:
        found = json.loads(spark_tuner("compare", *named, "--json").out)
        return [found[side]["key"] for side in ("before", "after")]

    assert compared("etl.load") == ["etl/0/load/2/1", "etl/1/load/2/1"]
    assert compared("etl/1/load/0/1") == ["etl/0/load/0/1", "etl/1/load/0/1"]
    assert compared("etl/0/load/1/1") == ["etl/0/load/0/1", "etl/0/load/1/1"], "it has run only once"


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (
            ["etl/7", "etl/1"],
            "'etl/7' is neither an event log nor a run in the store; `spark-tuner status COHORT` lists",
        ),
        (["load", "etl/1"], "'load' may be 2 runs: etl/1/load/-1/1, etl/0/load/-1/1; give more of the key"),
        (["etl/0", "etl/1", "--cohort", "other"], "no run of cohort 'other' in the store"),
        (["", "etl/1"], "'' is neither an event log nor a run"),
        (["a%_\\", "etl/1"], "is neither an event log nor a run"),
        (["\x1b[31m", "etl/1"], "is neither an event log nor a run"),
        (["etl/0"], "none of the newest runs before etl/0/load/-1/1 succeeded and was measured; name the run"),
    ],
)
def test_what_is_no_run_is_told_with_what_to_do(
    spark_tuner: Call, nights: tuple[Run, Run], named: list[str], why: str
) -> None:
    result = spark_tuner("compare", *named)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert why in result.err
    assert "\x1b" not in result.err


def test_a_run_that_was_not_measured_says_why(spark_tuner: Call, url: str) -> None:
    keep(url, run(0, execution()), replace(run(1), state=RunState.RUNNING, outcome=None))
    running = spark_tuner("compare", "etl/0", "etl/1")
    assert "run etl/1/load/-1/1 was not measured: it is still running; compare another run" in running.err
    keep(url, replace(run(2, cohort="other"), state=RunState.LOST, outcome=None))
    assert "no run of cohort 'other' has been measured yet" in spark_tuner("compare", "other").err


def test_a_store_that_is_not_there(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("compare", "a", "b", "--db", f"sqlite:///{tmp_path}/none.db")
    assert (result.code, result.out) == (1, "")
    assert "there is no history store; check --db" in result.err


def test_two_logs_need_no_store(spark_tuner: Call, tmp_path: Path) -> None:
    named = [GOLDEN / "static-single-lzf", GOLDEN / "adaptive-single-lz4", "--db", f"sqlite:///{tmp_path}/none.db"]
    found = json.loads(spark_tuner("compare", *named, "--json").out)
    assert {query["name"] for query in found["queries"]} == {"three joins", "replanned"}
    assert [one["property"] for one in found["settings"]] == ["spark.sql.adaptive.enabled"]
    replanned = next(query for query in found["queries"] if query["name"] == "replanned")
    assert [(one["before"], one["after"]) for one in replanned["plan"]] == [("SortMergeJoin", "BroadcastHashJoin")]
    assert not (tmp_path / "none.db").exists()


def test_a_log_is_compared_with_a_run_of_the_store(spark_tuner: Call, nights: tuple[Run, Run]) -> None:
    result = spark_tuner("compare", "etl/0", GOLDEN / "reuse")
    assert result.code == 0
    assert "they have no query in common: are they runs of one job?" in result.said


def test_of_a_log_of_a_run_that_the_tuner_submitted_the_store_tells_what_was_in_force(
    spark_tuner: Call, url: str, tmp_path: Path
) -> None:
    (change,) = recommend(conf())
    steered = run(1, changes=[change])
    keep(url, replace(steered, state=RunState.RUNNING, outcome=None))
    properties = {"spark.tuner.key": steered.key, conf().target: conf().value}
    environment = json.dumps({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": properties})
    before, after = write_log(tmp_path / "a", "app-a"), write_log(tmp_path / "b", "app-b", lines=(environment,))
    (found,) = json.loads(spark_tuner("compare", before, after, "--json").out)["changes"]
    assert (found["id"], found["in_effect"]) == (change.id, "after")
    elsewhere = json.loads(spark_tuner("compare", before, after, "--json", "--db", f"sqlite:///{tmp_path}/no.db").out)
    assert elsewhere["changes"] == []


def test_a_cohorts_name_is_no_folder_that_happens_to_be_here(
    spark_tuner: Call, nights: tuple[Run, Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "etl.load").mkdir()
    (tmp_path / "other").mkdir()
    found = json.loads(spark_tuner("compare", "etl.load", "--json").out)
    assert [found[side]["key"] for side in ("before", "after")] == [one.key for one in nights]
    for path in ("./etl.load", "other"):
        assert f"{path}: nothing is compared without it" in spark_tuner("compare", path).err
    nowhere = spark_tuner("compare", "etl.load", "--db", f"sqlite:///{tmp_path}/none.db")
    assert "etl.load: nothing is compared without it" in nowhere.err
    assert not (tmp_path / "none.db").exists()


def test_a_directory_of_two_logs_is_two_runs(spark_tuner: Call, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_log(tmp_path / "logs" / name, f"app-{name}")
    assert spark_tuner("compare", tmp_path / "logs").code == 0
    write_log(tmp_path / "logs" / "c", "app-c")
    several = spark_tuner("compare", tmp_path / "logs")
    assert "holds 3 of the two applications to compare" in several.err
    one_of = spark_tuner("compare", tmp_path / "logs", tmp_path / "logs" / "a")
    assert "holds 3 applications (app-a, app-b, app-c); give the log of one of them" in one_of.err


def test_a_log_that_breaks_off_is_said_to(spark_tuner: Call) -> None:
    result = spark_tuner("compare", GOLDEN / "single-zstd", GOLDEN / "killed")
    assert result.code == 0
    assert "the run after has a log that is not whole: what that lacks is missing" in result.out


def test_what_is_no_log_is_refused(spark_tuner: Call, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("not a log\n")
    result = spark_tuner("compare", tmp_path / "notes", GOLDEN / "reuse")
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("/notes: nothing is compared without it; give the event log of a Spark application\n")


@pytest.mark.skipif(not REAL.is_dir(), reason=f"{REAL} is not there")
@pytest.mark.parametrize("name", ["nds_q72_dataproc_2_2.zstd", "eventlog_4nodes_8cores_dynamic_alloc.zstd"])
def test_nothing_differs_in_a_real_log_and_itself(spark_tuner: Call, name: str) -> None:
    result = spark_tuner("compare", REAL / name, REAL / name)
    assert "both are the same run: nothing differs" in result.out
    assert [line.split(":")[0] for line in result.out.splitlines()] == ["before", "after ", "", "both are the same run"]


def test_hostile_names_neither_steer_the_terminal_nor_are_markup(spark_tuner: Call, url: str) -> None:
    evil = "\x1b[2J[bold]x[/bold]\nbroken\u202e" + "y" * 5000
    hostile = join()
    hostile = replace(hostile, left=replace(hostile.left, relations=(evil,)))
    changed = replace(hostile, strategy=Strategy.BROADCAST_HASH)
    named = {"description": evil, "relations": (evil,), "main_relations": (evil,)}
    keep(
        url,
        run(0, execution(joins=(hostile,), **named), *others()),
        run(1, execution(work=900, joins=(changed,), **named), *others(), version=f"4.1 {evil}"),
    )
    out = spark_tuner("compare", "etl.load").out
    assert not {"\x1b", "\u202e"} & set(out)
    assert "[bold]x[/bold]" in out.replace("\n", "")
    assert len(out) < 4000
    json.loads(spark_tuner("compare", "etl.load", "--json").out)


def test_a_cohort_beside_logs_alone_is_refused(spark_tuner: Call, tmp_path: Path) -> None:
    logs = [write_log(tmp_path / name) for name in ("a", "b")]
    for arguments in (logs, [tmp_path]):
        result = spark_tuner("compare", *arguments, "--cohort", "etl.load")
        assert (result.code, "logs are no runs of the store's cohorts" in " ".join(result.err.split())) == (2, True)


def test_credentials_of_a_url_are_never_printed(spark_tuner: Call, tmp_path: Path) -> None:
    url = "memory://key:hunter2@host/logs"
    for named in ([url], [url, url], [url, tmp_path]):
        result = spark_tuner("compare", *named)
        assert result.code == 1
        assert "hunter2" not in result.err + result.out
