"""Harvests on a real Spark: in one process, and on a standalone cluster of a master and two workers."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from upath import UPath

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tests.conftest import ON_CLUSTER, on_loopback, wait_until
from tuner.cli.process.spark_session import spark_session
from tuner.pipeline.batches import Manifest
from tuner.pipeline.schema import LAYOUT, TABLES

from .fleet import comparable, local_tables, small_log, write_fleet, written_tables
from .on_spark import harvested

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

FAST = ["spark.sql.shuffle.partitions=2"]


def command(logs: Path, out: Path, master: str, *conf: str) -> list[str]:
    flags = [flag for item in (*FAST, "spark.driver.host=localhost", *conf) for flag in ("--conf", item)]
    place = [str(logs), "--spark", master, "--out", str(out)]
    return [sys.executable, "-m", "tuner.cli", "harvest", *place, "--json", *flags]


def harvest(logs: Path, out: Path, master: str = "local[2]", *conf: str) -> dict[str, Any]:
    done = subprocess.run(
        command(logs, out, master, *conf), capture_output=True, text=True, timeout=600, env=on_loopback(), check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def assert_same(logs: Path, out: Path) -> None:
    """The tables are what the local reader says, each row once."""
    expected, found = local_tables(logs), written_tables(out)
    for table in TABLES:
        assert comparable(found[table]) == comparable(expected[table]), table


def test_a_cluster_makes_the_tables_that_the_local_reader_says_and_they_follow_the_logs(
    tmp_path: Path, spark_cluster: Callable[[Path], AbstractContextManager[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, out = write_fleet(tmp_path / "logs"), tmp_path / "out"
    with spark_cluster(tmp_path) as url:
        first = harvest(logs, out, url, *ON_CLUSTER)
        workers = [re.findall(r"Asked to launch executor", (tmp_path / f"worker-{n}.log").read_text()) for n in (1, 2)]
    assert first["read"] > 10
    assert all(workers)
    assert_same(logs, out)
    applications = written_tables(out)["applications"]
    assert first["statuses"] == Counter(application["status"] for application in applications)
    assert first["rows"] == {table: len(rows) for table, rows in written_tables(out).items()}

    # A copy that takes nothing away leaves `app-9.inprogress` beside it.
    (logs / "app-9").write_bytes(small_log("app-9"))
    (logs / "app-3").write_bytes(small_log("app-3", tasks=9))
    (logs / "app-40").write_bytes(small_log("app-40"))
    for name, value in on_loopback().items():
        monkeypatch.setenv(name, value)
    with spark_session("local[2]", (*FAST, "spark.driver.host=localhost"), "tests") as spark:
        second = harvested(spark, logs, out)
        assert (second.read, second.unchanged) == (3, first["read"] - 2)
        assert_same(logs, out)
        third = harvested(spark, logs, out)
        assert (third.read, third.unchanged) == (0, first["read"] + 1)


def test_a_log_that_workers_cannot_get_at_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process has a memory of its own."""
    root = UPath("memory://bucket/logs")
    root.mkdir(parents=True)
    (root / "app-1").write_bytes(small_log("app-1"))
    for name, value in on_loopback().items():
        monkeypatch.setenv(name, value)
    try:
        with spark_session("local[2]", (*FAST, "spark.driver.host=localhost"), "tests") as spark:
            found = [harvested(spark, root, tmp_path / "out") for _ in range(2)]
    finally:
        root.fs.rm("/bucket", recursive=True)
    assert [(one.read, one.statuses) for one in found] == [(1, {"failed": 1})] * 2
    assert [row["code"] for row in written_tables(tmp_path / "out")["problems"]] == ["unreadable_file"]


def test_a_harvest_that_was_killed_is_made_good_by_the_next(tmp_path: Path) -> None:
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    for number in range(30):
        (logs / f"app-{number}").write_bytes(small_log(f"app-{number}"))
    process = subprocess.Popen(
        command(logs, out, "local[2]"), env=on_loopback(), start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until(lambda: any((out / "_staging").rglob("*.parquet")) or process.poll() is not None)
        assert process.poll() is None, "it ended before it could be killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert not (out / "_batches").exists()
    harvest(logs, out)
    assert_same(logs, out)
    assert not (out / "_staging").exists()


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    """Who comes second is told, and what it was to read it reads the next time."""
    out = tmp_path / "out"
    both = [tmp_path / "a", tmp_path / "b"]
    for logs in both:
        logs.mkdir()
        for number in range(12):
            (logs / f"app-{logs.name}-{number}").write_bytes(small_log(f"app-{logs.name}-{number}"))
    started = [
        subprocess.Popen(
            command(logs, out, "local[1]"),
            env=on_loopback(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for logs in both
    ]
    told = [process.communicate(timeout=300)[1] for process in started]
    ended = [process.returncode for process in started]
    assert sorted(ended) in ([0, 0], [0, 1]), told
    for logs, code, said in zip(both, ended, told, strict=True):
        if code:
            assert f"{out}: another harvest or replay writes there, process " in said
            assert harvest(logs, out)["read"] == 12
    for logs in both:
        assert harvest(logs, out)["unchanged"] == 12
    found = Counter(application["app_id"] for application in written_tables(out)["applications"])
    assert found == Counter(f"app-{logs.name}-{number}" for logs in both for number in range(12))


def test_tables_that_lie_as_an_earlier_version_laid_them_are_laid_anew(tmp_path: Path) -> None:
    """A log of them may be gone: its rows stay."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    logs.mkdir()
    for number in range(4):
        (logs / f"app-{number}").write_bytes(small_log(f"app-{number}"))
    harvest(logs, out)
    everything = written_tables(out)
    _lay_by_date(out)
    (logs / "app-0").rename(tmp_path / "gone")
    for number in range(8, 11):
        (logs / f"app-{number}").write_bytes(small_log(f"app-{number}"))

    found = harvest(logs, out)

    assert (found["read"], found["unchanged"]) == (3, 3)
    assert not list(out.rglob("date=*"))
    (manifest,) = map(_manifest, (out / "_batches").glob("*.json"))
    assert manifest.layout == LAYOUT
    (logs / "app-0").write_bytes(small_log("app-0"))
    assert_same(logs, out)
    assert comparable(everything["applications"])[0] in comparable(written_tables(out)["applications"])
    (month,) = {path.name for path in out.rglob("month=*")}
    assert re.fullmatch(r"month=\d{4}-\d\d", month)


def _lay_by_date(out: Path) -> None:
    import pyarrow.parquet as pq

    for file in sorted(out.rglob("*.parquet")):
        rows = pq.read_table(file, partitioning=None)
        (day,) = rows["date"].unique().to_pylist() or [None]
        old = file.parent.with_name(f"date={day}")
        old.mkdir(exist_ok=True)
        pq.write_table(rows.drop_columns("date"), old / file.name)
    for month in list(out.rglob("month=*")):
        shutil.rmtree(month)
    for file in (out / "_batches").glob("*.json"):
        file.write_bytes(msgspec.json.encode(msgspec.structs.replace(_manifest(file), layout=0)))
        file.with_name(f".{file.name}.crc").unlink()


def _manifest(file: Path) -> Manifest:
    return msgspec.json.decode(file.read_bytes(), type=Manifest)
