"""Replays on a real Spark: in one process, killed and started again, and on a standalone cluster."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from tests.conftest import AT_LENGTH, ON_CLUSTER, on_loopback, wait_until
from tests.replay.test_logged_run import ENDINGS
from tuner.cli.as_json.replay import replay_lines
from tuner.cli.as_text.replay import MOST_RUNS, show_replay
from tuner.cli.process.spark_session import spark_session
from tuner.cli.reading.harvest_on_spark import told_unread
from tuner.cli.reading.log_sources import log_sources
from tuner.cli.reading.replaying import replayed_here
from tuner.cost.learned.calibrated_model import VARIABLE, configured_model
from tuner.cost.learned.operator_times import shipped_model, write_model
from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.run import RunState
from tuner.pipeline import replay as pipeline_replay
from tuner.pipeline import replayed as pipeline_replayed
from tuner.problems import Problems
from tuner.replay.cohort_of import CohortRules
from tuner.replay.report.write import write_report
from tuner.replay.run_selection import RunSelection
from tuner.replay.store_cohort import store_cohort
from tuner.replay.walk import Walker

from .many_nights import found, found_here, night, write_nights
from .on_spark import harvested, replayed

pytestmark = [pytest.mark.spark]

# By day nothing is compiled: these tables are many, wide, and of a few rows.
INTERPRETED = () if AT_LENGTH else ("spark.sql.codegen.wholeStage=false", "spark.sql.codegen.factoryMode=NO_CODEGEN")
FAST = (
    *INTERPRETED,
    "spark.sql.shuffle.partitions=2",
    "spark.driver.host=localhost",
    "spark.driver.bindAddress=127.0.0.1",
)


# Their documents are more than a driver is let take at once below.
NIGHTS = 80


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patched:
        for name, value in on_loopback().items():
            patched.setenv(name, value)
        with spark_session("local[2]", FAST, "tests") as session:
            yield session


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_nights(tmp_path_factory.mktemp("nights") / "logs")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `nights` are harvested: once, by whichever test is the first."""
    return tmp_path_factory.mktemp("out") / "tables"


@pytest.mark.nightly
@pytest.mark.parametrize("round_runs", [None, 16])
def test_spark_finds_what_the_replay_in_one_process_finds(
    spark: Any, nights: Path, out: Path, tmp_path: Path, round_runs: int | None
) -> None:
    expected = found_here(nights, Walker())
    replay = replayed(spark, nights, tmp_path / "out" if round_runs else out, round_runs=round_runs)
    assert found(replay) == expected
    assert tuple(replay.runs("etl.daily")) == tuple(run for run in expected.runs if run.cohort == "etl.daily")
    # Of all that there is to find, the logs hold some.
    assert expected.summary.unread
    assert sum(len(run.lacked) for run in expected.runs) > 5
    assert {run.as_live for run in expected.runs} >= {None, True}
    assert expected.summary.backtest is not None
    assert expected.summary.backtest.pairs
    assert [run.state for run in expected.runs if run.cohort == "etl.ends"] == [state for _, state in ENDINGS.values()]
    assert {run.state for run in expected.runs if run.cohort == "etl.ends_cut"} == {RunState.PARTIAL, RunState.FAILED}
    assert list(replay.runs("no such cohort")) == list(replay.logged("no such cohort")) == []


def test_spark_finds_of_a_few_nights_what_the_replay_in_one_process_finds(spark: Any, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(3):
        night(logs, "a", number)
    night(logs, "b", 0)
    expected = found_here(logs, Walker())
    assert sorted(run.cohort for run in expected.runs) == ["a", "a", "a", "b"]
    assert found(replayed(spark, logs, tmp_path / "out")) == expected


@pytest.mark.nightly
def test_only_cohorts_that_have_changed_are_walked_again(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    for cohort in ("a", "b", "c"):
        for number in range(3):
            night(logs, cohort, number)
    first = replayed(spark, logs, out)
    assert (first.walked, first.harvest.read) == (3, 9)
    again = replayed(spark, logs, out)
    assert (again.walked, again.harvest.read) == (0, 0)
    assert found(again) == found(first) == found_here(logs, Walker())

    night(logs, "b", 3)
    night(logs, "c", 2, seconds=9)
    night(logs, "d", 0)
    later = replayed(spark, logs, out)
    assert (later.walked, later.harvest.read) == (3, 3)
    assert found(later) == found_here(logs, Walker())

    assert replayed(spark, logs, out, Walker(Mode.SUGGEST)).walked == 4
    monkeypatch.setattr(pipeline_replay, "source_digest", lambda: "of another tuner")
    assert replayed(spark, logs, out, Walker(Mode.SUGGEST)).walked == 4
    assert len(list((out / "_replay" / "walks").iterdir())) == 1


@contextmanager
def most_result_bytes(spark: Any, most: int) -> Iterator[None]:
    """What a driver takes of the results of one job; Spark looks when that begins."""
    conf, name = spark.sparkContext._jsc.sc().conf(), "spark.driver.maxResultSize"
    conf.set(name, str(most))
    try:
        yield
    finally:
        conf.remove(name)


@pytest.mark.nightly
def test_a_cohort_may_be_larger_than_what_a_driver_takes_at_once(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install airflow-spark-tuner[ui]")
    for number in range(NIGHTS):
        night(tmp_path / "logs", "etl.a", number, 7 + number % 3 / 10)
    monkeypatch.setattr(pipeline_replayed, "_PART_BYTES", 32 << 10)
    replay, expected = replayed(spark, tmp_path / "logs", tmp_path / "out"), found_here(tmp_path / "logs", Walker())
    screen, report, problems = StringIO(), tmp_path / "report.html", Problems()
    with most_result_bytes(spark, 40 << 10), Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        show_replay(Console(file=screen, width=200), replay, backtest=True)
        for cohort in replay.summary.cohorts:
            store_cohort(store, cohort, replay, problems)
        write_report(report, replay, store)
        assert tuple(replay.runs("etl.a")) == expected.runs
        assert tuple(replay.logged("etl.a")) == expected.logged["etl.a"]
    assert f"and {NIGHTS - MOST_RUNS} earlier runs" in screen.getvalue()
    assert report.exists() and not problems.found


@pytest.mark.nightly
def test_logs_that_are_gone_stay_in_the_replay(spark: Any, tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    for number in range(3):
        night(logs, "a", number)
    expected = found_here(logs, Walker())
    replayed(spark, logs, out)
    (logs / "local-a-0").unlink()
    assert found(replayed(spark, logs, out)) == expected


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rules", "chosen"),
    [
        (CohortRules(), RunSelection("etl.d*")),
        (CohortRules(), RunSelection(months=3 / 30.4)),
        (CohortRules(pattern=re.compile("e(t)l")), RunSelection()),
        (CohortRules(named="all of it"), RunSelection()),
        (CohortRules(), RunSelection("nothing has this name")),
    ],
)
def test_cohorts_and_runs_are_chosen_anew_each_time(
    spark: Any, nights: Path, out: Path, rules: CohortRules, chosen: RunSelection
) -> None:
    assert found(replayed(spark, nights, out, rules=rules, chosen=chosen)) == found_here(
        nights, Walker(), rules, chosen
    )


@pytest.mark.nightly
def test_a_cohort_of_the_very_name_is_replayed_alone(spark: Any, tmp_path: Path) -> None:
    """Harvested earlier are others that match it as a pattern."""
    logs, out, chosen = tmp_path / "logs", tmp_path / "out", RunSelection("load?", months=1)
    night(logs, "load1", 0)
    night(logs, "load1", 400)
    assert found(replayed(spark, logs, out, chosen=chosen)) == found_here(logs, Walker(), chosen=chosen)
    night(logs, "load?", 0)
    night(logs, "load?", 1)
    replay = replayed(spark, logs, out, chosen=chosen)
    assert [(cohort.cohort, cohort.runs) for cohort in replay.summary.cohorts] == [("load?", 2)]
    assert found(replay) == found_here(logs, Walker(), chosen=chosen)


def test_a_log_that_was_named_and_cannot_be_read_is_told_each_time(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, out = tmp_path / "logs" / "app-1.zstd", tmp_path / "out"
    bad.parent.mkdir()
    bad.write_bytes(b"\x28\xb5\x2f\xfd no frame, no frame")
    for _ in range(2):
        harvested(spark, bad, out)
        assert told_unread(spark, str(out), log_sources([str(bad)])[0]) == 1
        assert capsys.readouterr().err == f"spark-tuner: {bad}: no application could be read\n"
    assert told_unread(spark, str(out), log_sources([str(bad.parent)])[0]) == 0


def test_without_a_log_nothing_is_found(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "notes.txt").write_text("no log\n")
    replay = replayed(spark, tmp_path / "logs", tmp_path / "out")
    assert found(replay) == found_here(tmp_path / "logs", Walker())
    assert replay.model.skipped


@pytest.mark.nightly
@pytest.mark.parametrize("version", ["without documents", "with documents that do not tell how the work ended"])
def test_what_an_earlier_version_harvested_is_read_anew_where_that_can_be(
    spark: Any, tmp_path: Path, version: str
) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    for number in range(3):
        night(logs, "a", number)
    if version == "without documents":
        harvested(spark, logs, out)
        as_the_first_version_wrote(out)
    else:
        replayed(spark, logs, out)
        as_version_6_wrote(out)
    (logs / "local-a-0").unlink()
    replay = replayed(spark, logs, out)
    (gone,) = replay.summary.unread
    assert gone.log.endswith("local-a-0")
    assert gone.why.startswith("harvested without what a replay reads")
    assert found(replay).runs == found_here(logs, Walker()).runs
    assert replay.harvest.read == 2
    # From now on, harvests keep up with what replays need.
    assert harvested(spark, logs, out).unchanged == 2
    assert replayed(spark, logs, out).harvest.read == 0


def as_the_first_version_wrote(out: Path) -> None:
    def without_document(table: pa.Table) -> pa.Table:
        return table.drop_columns(["document"])

    def unknown(log: dict[str, Any]) -> None:
        del log["documents"], log["size_bytes"]

    _write_anew(out, ("applications", "queries"), without_document, unknown)


def as_version_6_wrote(out: Path) -> None:
    def without_ends(table: pa.Table) -> pa.Table:
        documents = [json.loads(document) for document in table["document"].to_pylist()]
        texts = [json.dumps({name: document[name] for name in ("run", "unused")}) for document in documents]
        return table.set_column(table.column_names.index("document"), "document", pa.array(texts))

    def of_6(log: dict[str, Any]) -> None:
        log["documents"] = 6

    _write_anew(out, ("applications",), without_ends, of_6)


def _write_anew(
    out: Path,
    tables: Iterable[str],
    change: Callable[[pa.Table], pa.Table],
    change_log: Callable[[dict[str, Any]], None],
) -> None:
    for file in (file for table in tables for file in (out / table).rglob("*.parquet")):
        pq.write_table(change(pq.ParquetFile(file).read()), file)
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    for manifest in (out / "_batches").glob("*.json"):
        found = json.loads(manifest.read_text())
        for log in (log for logs in found["batches"].values() for log in logs):
            change_log(log)
        manifest.write_text(json.dumps(found))
        (manifest.parent / f".{manifest.name}.crc").unlink(missing_ok=True)


@pytest.mark.nightly
def test_the_fleets_own_model_can_be_put_to_use(
    spark: Any, nights: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install airflow-spark-tuner[learn]")
    model = replayed(spark, nights, out).model
    assert {"prior", "fitted", "wall"} <= model.errors.keys()
    learned = configured_model({VARIABLE: model.path})
    assert (learned.queries, learned.stages) == (model.queries, model.stages)
    assert learned.costs != shipped_model().costs
    assert replayed(spark, nights, out).model == model

    assert sum(kind.queries for kind in model.kinds) >= model.queries
    assert {Path(kind.path).relative_to(out).parts[0] for kind in model.kinds} == {"operator_times"}

    written = Path(model.path).read_bytes()
    monkeypatch.setenv(VARIABLE, model.path)
    by_it, again = replayed(spark, nights, out), replayed(spark, nights, out)
    assert by_it.walked > 0
    assert (again.walked, again.model, Path(model.path).read_bytes()) == (0, model, written)


@pytest.mark.nightly
def test_workers_price_by_the_model_that_is_named_here(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        night(tmp_path / "logs", "a", number)
    shipped = found(replayed(spark, tmp_path / "logs", tmp_path / "out"))
    dear = replace(shipped_model(), costs=replace(shipped_model().costs, sort_insert=1e5))
    (tmp_path / "model.json").write_bytes(write_model(dear))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "model.json"))
    named = found(replayed(spark, tmp_path / "logs", tmp_path / "out"))
    assert named == found_here(tmp_path / "logs", Walker())
    assert named.runs != shipped.runs


def command(logs: Path, out: Path, master: str, round_runs: int, *conf: str) -> list[str]:
    arguments = [str(logs), str(out), master, str(round_runs), *FAST, *conf]
    return [sys.executable, "-m", "tests.pipeline.replay_job", *arguments]


@pytest.mark.nightly
def test_a_replay_that_was_killed_goes_on_where_it_was(spark: Any, tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    for cohort in range(8):
        for number in range(1 + cohort % 3):
            night(logs, f"job_{cohort}", number)
    with (tmp_path / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            command(logs, out, "local[2]", 2), env=on_loopback(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=stderr,
        )  # fmt: skip
        try:
            done = out / "_replay" / "rounds"
            wait_until(lambda: len(list(done.glob("*.json"))) > 1 or process.poll() is not None)
            assert process.poll() is None, (tmp_path / "stderr").read_text()[-4000:]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    replay = replayed(spark, logs, out)
    assert 0 < replay.walked < 8
    assert found(replay) == found_here(logs, Walker())


@pytest.mark.nightly  # A harvest runs on one by day.
def test_on_a_standalone_cluster(tmp_path: Path, spark_cluster: Callable[[Path], AbstractContextManager[str]]) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    for cohort in ("a", "b", "c"):
        for number in range(4):
            night(logs, cohort, number)
    flags = [flag for setting in (*FAST, *ON_CLUSTER) for flag in ("--conf", setting)]
    with spark_cluster(tmp_path) as url:
        typed = [sys.executable, "-m", "tuner.cli", "replay", str(logs), "--json", "--spark", url, "--out", str(out)]
        done = subprocess.run([*typed, *flags], capture_output=True, text=True, env=on_loopback(), check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        workers = [re.findall(r"Asked to launch executor", (tmp_path / f"worker-{n}.log").read_text()) for n in (1, 2)]
    assert all(workers)
    assert "12 logs read, 0 unchanged; 3 of 3 cohorts walked" in done.stderr
    with replayed_here(log_sources([str(logs)])[0], Walker()) as here:
        # As values: 3 and 3.0 are the same number.
        assert list(map(json.loads, done.stdout.splitlines())) == list(map(json.loads, replay_lines(here)))
