"""`spark-tuner replay` and `harvest` of what Databricks delivers: real logs of Spark, with its own operators or Photon's."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tuner.cli.main import app
from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import open_log

CREATOR = "jo.doe@example.com"
GOLDEN = Path(__file__).parents[2] / "golden" / "logs" / "3.5.9"
# What runs in place of what; others keep their names.
PHOTON = {
    "SortMergeJoin": "PhotonShuffledHashJoin",
    "ShuffledHashJoin": "PhotonShuffledHashJoin",
    "BroadcastHashJoin": "PhotonBroadcastHashJoin",
    "HashAggregate": "PhotonGroupingAgg",
    "Exchange": "PhotonShuffleExchangeSink",
    "Sort": "PhotonSort",
    "Project": "PhotonProject",
    "Filter": "PhotonFilter",
}


def spark_tuner(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def with_photon(info: dict[str, Any]) -> dict[str, Any]:
    name = info["nodeName"]
    new = PHOTON.get(name, f"Photon{name}" if name.startswith("Scan parquet") else name)
    children = [with_photon(child) for child in info["children"]]
    return {**info, "nodeName": new, "simpleString": info["simpleString"].replace(name, new, 1), "children": children}


def deliver(
    log: str, directory: Path, *, photon: bool = False, name: str = "1124-071500-abcd1234", job: str = ""
) -> None:
    """A golden log as a cluster of its own, rolled over twice, without its end; with the tags of a `job`."""
    (source,) = find_logs(GOLDEN / log)
    with open_log(source.files[0]) as raw:
        events = [json.loads(line) for line in open_plain(raw, source.files[0].name)]
    events[0]["Event"] = "DBCEventLoggingListenerMetadata"
    events = [event for event in events if event["Event"] != "SparkListenerApplicationEnd"]
    for event in events if photon else ():
        if "sparkPlanInfo" in event:
            event["sparkPlanInfo"] = with_photon(event["sparkPlanInfo"])
    for event in events if job else ():
        if event["Event"] == "SparkListenerEnvironmentUpdate":
            event["Spark Properties"] |= tags(name, job)
        elif event["Event"] == "SparkListenerApplicationStart":
            event["App Name"] = "Databricks Shell"
    lines = [json.dumps(event).encode() + b"\n" for event in events]
    cluster = directory / name
    (cluster / "driver").mkdir(parents=True)
    (cluster / "driver" / "stdout").write_text("Fri Nov 24 07:15:00 2026 Initialized gateway\n")
    logs = cluster / "eventlog" / f"{cluster.name}_10_0_0_1" / "4911756012346"
    logs.mkdir(parents=True)
    third = len(lines) // 3
    (logs / "eventlog-2026-11-24--07-00.gz").write_bytes(gzip.compress(b"".join(lines[:third])))
    (logs / "eventlog-2026-11-24--08-00.gz").write_bytes(gzip.compress(b"".join(lines[third : 2 * third])))
    (logs / "eventlog").write_bytes(b"".join(lines[2 * third :]))


def tags(name: str, job: str) -> dict[str, str]:
    """What Databricks tells of a job's cluster."""
    told = {"Vendor": "Databricks", "Creator": CREATOR, "ClusterId": name, "JobId": "20864226", "RunName": job}
    return {
        "spark.databricks.clusterUsageTags.clusterAllTags": json.dumps([{"key": k, "value": told[k]} for k in told]),
        "spark.databricks.clusterUsageTags.clusterId": name,
        "spark.databricks.clusterUsageTags.clusterName": f"job-20864226-run-{name[:4]}-main",
    }


def queries_of(directory: Path) -> list[dict[str, Any]]:
    (application,) = map(json.loads, spark_tuner("harvest", directory, "--json").stdout.splitlines())
    found: list[dict[str, Any]] = application["queries"]
    return found


def test_it_is_read_as_spark_wrote_it(tmp_path: Path) -> None:
    deliver("adaptive-single-lz4", tmp_path)
    assert queries_of(tmp_path) == queries_of(GOLDEN / "adaptive-single-lz4") != []


@pytest.mark.parametrize("photon", [False, True])
def test_it_is_replayed(tmp_path: Path, photon: bool) -> None:
    deliver("adaptive-single-lz4", tmp_path, photon=photon)
    done = spark_tuner("replay", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    run, last = map(json.loads, done.stdout.splitlines())
    assert (last["totals"]["logs"], last["totals"]["runs"]) == (1, 1)
    assert run["actual_seconds"] > 0


def test_operators_of_photon_are_none_that_it_knows(tmp_path: Path) -> None:
    deliver("adaptive-single-lz4", tmp_path, photon=True)
    found, known = queries_of(tmp_path), queries_of(GOLDEN / "adaptive-single-lz4")
    assert any(query["joins"] for query in known)
    assert [(q["id"], q["status"], q["duration_ms"]) for q in found] == [
        (q["id"], q["status"], q["duration_ms"]) for q in known
    ]
    assert not any(join["strategy"].startswith("Photon") for query in found for join in query["joins"])
    advised = spark_tuner("advise", tmp_path, "--json")
    assert advised.exit_code == 0, advised.output
    assert json.loads(advised.stdout)["recommendations"] == []


def test_it_is_advised_on(tmp_path: Path) -> None:
    deliver("adaptive-single-lz4", tmp_path)
    assert "no advice from" not in (told := spark_tuner("advise", tmp_path).stdout) and told


def test_jobs_are_told_apart_by_their_names_whose_applications_have_one(tmp_path: Path) -> None:
    for name, job in (("1124-071500-aaaa1111", "ads load"), ("1124-071500-bbbb2222", "orders load")):
        deliver("adaptive-single-lz4", tmp_path / "logs", name=name, job=job)
    done = spark_tuner("replay", tmp_path / "logs", "--json")
    assert done.exit_code == 0, done.output
    *rows, last = map(json.loads, done.stdout.splitlines())
    assert sorted((c["cohort"], c["runs"]) for c in last["totals"]["cohorts"]) == [("ads load", 1), ("orders load", 1)]
    assert last["totals"]["unread"] == []
    assert len({row["app_id"] for row in rows}) == 1 < len({row["run"] for row in rows})
    assert "orders load (" in spark_tuner("advise", tmp_path / "logs").stdout


def imported(logs: Path, url: str) -> int:
    """How many runs, of logs that nothing was written to for hours."""
    for file in filter(Path.is_file, logs.rglob("*")):
        os.utime(file, (0, 0))
    done = spark_tuner("import", logs, "--db", url, "--json")
    assert done.exit_code == 0, done.output
    (cohort,) = json.loads(done.stdout)["cohorts"]
    return int(cohort["imported"])


def test_two_clusters_of_a_job_are_two_runs_and_an_import_has_each_once(tmp_path: Path) -> None:
    url, logs = f"sqlite:///{tmp_path}/history.db", tmp_path / "logs"
    for name in ("1124-071500-aaaa1111", "1124-071500-bbbb2222"):
        deliver("adaptive-single-lz4", logs, name=name, job="load 2026-11-24")
    assert (imported(logs, url), imported(logs, url)) == (2, 0)
    assert CREATOR.encode() not in (tmp_path / "history.db").read_bytes()
    assert CREATOR not in spark_tuner("replay", logs, "--json").stdout + spark_tuner("harvest", logs, "--json").stdout


def test_what_an_earlier_version_imported_is_not_imported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the same cohort: its key was that of the application alone."""
    url, logs = f"sqlite:///{tmp_path}/history.db", tmp_path / "logs"
    deliver("adaptive-single-lz4", logs, job="load")
    with monkeypatch.context() as patch:
        patch.setattr("tuner.eventlog.databricks_tags._CLUSTER_ID", "not told")
        assert imported(logs, url) == 1
    assert imported(logs, url) == 0
