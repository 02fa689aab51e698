"""The walk that runs on workers, without Spark around it: rows of runs in, what a replay finds out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

from tuner.cost.learned.calibrated_model import VARIABLE  # noqa: E402
from tuner.cost.learned.operator_times import shipped_model, write_model  # noqa: E402
from tuner.eventlog.find import find_logs  # noqa: E402
from tuner.model.query import Query  # noqa: E402
from tuner.pipeline import run_rows  # noqa: E402
from tuner.pipeline.documents import read_query  # noqa: E402
from tuner.pipeline.walk import Kind, walk_cohorts  # noqa: E402
from tuner.replay.cohort_replay import CohortReplay, LoggedRun, ReplayedRun, UnreadLog  # noqa: E402
from tuner.replay.walk import Walker  # noqa: E402

from .many_nights import found_here, night  # noqa: E402
from .run_rows_here import rows_here  # noqa: E402

Row = dict[str, Any]


def rows_of(directory: Path) -> list[Row]:
    """The rows of a directory's logs, as Spark sorts them. The folder of a log is its cohort."""
    found = []
    for source in find_logs(directory):
        cohort = source.path.parent.name
        position = int(source.path.name.rsplit("-", 1)[1])
        found += rows_here(source, cohort, position)
    return sorted(found, key=lambda row: (row["cohort"], row["position"], row["is_query"], row["query_id"]))


def walked(rows: list[Row], walker: Walker | None = None, model: bytes | None = None) -> dict[Kind, list[Any]]:
    batches = [pa.RecordBatch.from_pylist([row]) for row in rows]
    types: dict[Kind, Any] = {
        Kind.RUN: ReplayedRun,
        Kind.COHORT: CohortReplay,
        Kind.UNREAD: UnreadLog,
        Kind.PROBLEM: str,
    }
    found: dict[Kind, list[Any]] = {kind: [] for kind in Kind}
    for batch in walk_cohorts(batches, walker or Walker(), "round 1", model):
        for row in batch.to_pylist():
            assert row["round"] == "round 1"
            kind = Kind(row["kind"])
            found[kind].append(msgspec.json.decode(row["document"], type=types[kind]))
    return found


@pytest.fixture
def nights(tmp_path: Path) -> Path:
    for cohort in ("a", "b"):
        for number in range(4):
            night(tmp_path / cohort, cohort, number)
    return tmp_path


def test_it_finds_what_the_local_walk_finds(nights: Path) -> None:
    found, expected = walked(rows_of(nights)), found_here(nights, Walker())
    assert found[Kind.COHORT] == sorted(expected.summary.cohorts, key=lambda c: c.cohort)
    assert sorted(found[Kind.RUN], key=lambda run: (run.started_at, run.key)) == list(expected.runs)
    assert not found[Kind.UNREAD]
    assert not found[Kind.PROBLEM]


@pytest.mark.parametrize("document", [None, "", "{", '{"id": "no number"}'])
def test_a_query_that_cannot_be_read_is_told_and_the_rest_is_walked(nights: Path, document: str | None) -> None:
    rows = rows_of(nights)
    spoilt = next(row for row in rows if row["is_query"])
    spoilt["document"] = document
    found = walked(rows)
    (unread,) = found[Kind.UNREAD]
    assert unread.log == spoilt["log"]
    assert unread.why.startswith("query 0 is left out")
    assert [cohort.runs for cohort in found[Kind.COHORT]] == [4, 4]
    assert [cohort.measured for cohort in found[Kind.COHORT]] == [3, 4]


class Failing(Walker):
    """Cannot walk one cohort."""

    def walk(self, runs: Any, problems: Any, walked: Any = ()) -> Any:
        first = next(runs)
        if first.cohort == "a":
            raise ValueError("no way")

        def all_of_them() -> Iterator[LoggedRun]:
            yield first
            yield from runs

        return (yield from super().walk(all_of_them(), problems))


def test_a_cohort_that_cannot_be_walked_stops_no_other(nights: Path) -> None:
    found = walked(rows_of(nights), Failing())
    assert found[Kind.PROBLEM] == ["could not replay cohort a: no way"]
    assert [cohort.cohort for cohort in found[Kind.COHORT]] == ["b"]


def test_a_long_cohort_is_never_held_whole(tmp_path: Path) -> None:
    night(tmp_path / "a", "a", 0)
    run, query = rows_of(tmp_path)
    given = 0

    def endless() -> Iterator[pa.RecordBatch]:
        nonlocal given
        for position in range(100_000):
            given += 1
            yield pa.RecordBatch.from_pylist([row | {"position": position} for row in (run, query)])

    first = next(walk_cohorts(endless(), Walker(), "round 1", None))
    assert first.num_rows <= given < first.num_rows + 3


def test_a_run_of_many_queries_is_never_held_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    night(tmp_path / "a", "a", 0)
    run, query = rows_of(tmp_path)
    taken, taken_before = 0, []

    def rows() -> Iterator[Row]:
        nonlocal taken
        for row in (run, *(query | {"query_id": number} for number in range(100))):
            taken += 1
            yield row

    def reading(document: str) -> Query:
        taken_before.append(taken)
        return read_query(document)

    monkeypatch.setattr(run_rows, "read_query", reading)
    (logged,) = run_rows.logged_runs(rows(), lambda log, why: None)
    assert logged.outcome.queries
    assert taken_before == list(range(2, 102))


def test_prices_are_those_of_the_model_that_comes_with_the_work(nights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/not/there")
    shipped = walked(rows_of(nights))
    dear = replace(shipped_model(), costs=replace(shipped_model().costs, sort_insert=1e5))
    named = walked(rows_of(nights), model=write_model(dear))
    assert not shipped[Kind.PROBLEM]
    assert not named[Kind.PROBLEM]
    assert named[Kind.RUN] != shipped[Kind.RUN]
    assert os.environ[VARIABLE] == "/not/there"
