"""The place of a run, as its document tells it to the workers."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tests.cli.commands.test_databricks_logs import CREATOR, deliver  # noqa: E402
from tests.eventlog.samples import execution_end, execution_start, head, write  # noqa: E402
from tuner.eventlog.find import find_logs  # noqa: E402
from tuner.pipeline import cohorts  # noqa: E402
from tuner.pipeline.cohorts import fleet_of, told  # noqa: E402
from tuner.replay.cohort_of import BY_LOG  # noqa: E402
from tuner.replay.run_selection import RunSelection  # noqa: E402

from .worker_tables import worker_tables  # noqa: E402

GONE = "and not there to be read again"


def document(tmp_path: Path, error: str = "") -> str:
    """Of a log that breaks off after a query."""
    log = write(tmp_path / "log", [*head(), execution_start(), execution_end(error=error)])
    (row,) = worker_tables(find_logs(log), documents=True)["applications"]
    return str(row["document"])


def place(written: str | None) -> dict[str, Any]:
    batch = pa.RecordBatch.from_pylist([{"log": "log", "document": written}])
    (found,) = next(told([batch], BY_LOG)).to_pylist()
    return dict(found)


def test_the_job_of_a_cluster_names_its_cohort_and_no_table_has_its_tags(tmp_path: Path) -> None:
    deliver("adaptive-single-lz4", tmp_path, job="orders load 2026-11-24")
    tables = worker_tables(find_logs(tmp_path), documents=True)
    (row,) = tables["applications"]
    assert place(row["document"])["cohort"] == "orders load *"
    assert CREATOR not in str(tables)


@pytest.mark.parametrize(("error", "partial"), [("", True), ("boom", False)])
def test_what_failed_is_whole_wherever_its_log_breaks_off(tmp_path: Path, error: str, partial: bool) -> None:
    found = place(document(tmp_path, error))
    assert (found["cohort"], found["partial"]) == ("nightly", partial)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (None, f"harvested without what a replay reads, {GONE}"),
        ("{", "what was harvested of it cannot be read: Input data was truncated"),
    ],
)
def test_what_cannot_be_read_is_in_no_cohort(written: str | None, why: str) -> None:
    found = place(written)
    assert (found["cohort"], found["unused"]) == (None, why)


def test_of_what_an_earlier_version_wrote_nobody_knows_how_it_ended(tmp_path: Path) -> None:
    written = json.loads(document(tmp_path))
    del written["ends"]
    found = place(json.dumps(written))
    why = f"harvested without what a replay reads (Object missing required field `ends`), {GONE}"
    assert (found["cohort"], found["unused"]) == (None, why)


def row(cohort: str, key: str, night: int, log: str) -> dict[str, Any]:
    started = 1_700_000_000_000 + night * 86_400_000
    return {
        "log": log,
        "cohort": cohort,
        "key": key,
        "started_ms": started,
        "partial": False,
        "unused": "",
        "queries": 1,
    }


@pytest.mark.parametrize(
    ("asked", "found"),
    [("load?", {"load?": ["a"]}), ("load*", {"load?": [], "load1": ["c"]}), ("load[1]", {}), ("*", {"other": ["d"]})],
)
def test_cohorts_are_asked_for_by_the_rule_of_the_local_replay(
    monkeypatch: pytest.MonkeyPatch, asked: str, found: dict[str, list[str]]
) -> None:
    """The last month counts from the newest run of those asked for."""
    rows = [
        row("load?", "a", 0, "1"),
        row("load1", "b", 0, "2"),
        row("load1", "b", 0, "3"),
        row("load1", "c", 400, "4"),
        row("other", "d", 800, "5"),
    ]
    monkeypatch.setattr(cohorts, "_runs", lambda *_: SimpleNamespace(collect=lambda: rows))
    fleet = fleet_of(None, "", BY_LOG, RunSelection(asked, months=1))  # type: ignore[arg-type]
    assert {c: [p.key for p in places] for c, places in fleet.cohorts.items()} == {c: k for c, k in found.items() if k}
    assert [log.log for log in fleet.unread] == (["3"] if asked in ("load*", "*") else [])
    assert fleet.unnamed == (("load1", "load?", "other") if asked == "load[1]" else ())


@pytest.mark.parametrize(("partial", "taken"), [(False, "2"), (True, "1")])
def test_of_two_applications_of_one_run_the_local_replay_would_take_the_same(
    monkeypatch: pytest.MonkeyPatch, partial: bool, taken: str
) -> None:
    rows = [row("load", "a", 0, "1"), row("load", "a", 1, "2") | {"partial": partial}]
    monkeypatch.setattr(cohorts, "_runs", lambda *_: SimpleNamespace(collect=lambda: rows))
    fleet = fleet_of(None, "", BY_LOG, RunSelection())  # type: ignore[arg-type]
    assert [place.log for place in fleet.cohorts["load"]] == [taken]
