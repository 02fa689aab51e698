"""What prices are learned from, to rows and back; which clusters are of one kind."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[pipeline]")

import pyarrow as pa

from tests.cost.learned.nights import night
from tuner.cost.learned.query_samples import Sample, samples
from tuner.cost.unit_costs import DEFAULT_COSTS
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Stage
from tuner.model.query import Query, QueryStatus
from tuner.model.query_work import BroadcastWork, QueryWork, SortWork, StageWork
from tuner.pipeline.cluster_kind import cluster_kind
from tuner.pipeline.schema import TABLES
from tuner.pipeline.stage_work import QUERY_COLUMNS, STAGE_COLUMNS, rows_of, samples_of
from tuner.plan.queries import queries
from tuner.plan.query_work import Resource

from .fleet import local_tables
from .many_nights import GOLDEN

NO_QUERY = Query(7, 7, "f", "", 1, 100, QueryStatus.SUCCEEDED, ())
NO_STAGE = Stage(0, 0, 7, 1, 1, 0, 0, None, None, None, 1, 0, *[0] * 10)


def through_tables(sample: Sample, log: str = "log", query_id: int = 7) -> list[dict[str, Any]]:
    """The rows of a sample as its tables hold them, joined."""
    query = replace(NO_QUERY, id=query_id, fingerprint=sample.query, duration_ms=sample.wall_ms, work=sample.work)
    stages = [replace(NO_STAGE, stage_id=stage.stage_id) for stage in sample.work.stages]
    (_, of_query), *of_stages = [(table, _stored(table, row)) for table, row in rows_of(query, stages)]
    return [{**of_query, **row, "log": log, "start_ms": 1, "cores": sample.cores} for _, row in of_stages]


def _stored(table: str, row: dict[str, Any]) -> dict[str, Any]:
    schema = pa.schema({c.name: c.type for c in TABLES[table]})
    assert set(row) == set(schema.names)
    (found,) = pa.RecordBatch.from_pylist([row], schema=schema).to_pylist()
    return found  # type: ignore[no-any-return]


def test_every_resource_and_all_else_comes_back() -> None:
    amounts = {resource.value: float(number) for number, resource in enumerate(Resource, start=1)}
    stages = (StageWork(1, 4, 900, amounts, 700), StageWork(2, 2, 30, {"pair": 2.0**60}, 20))
    work = QueryWork(stages, (BroadcastWork(1, 2, 3, 4, 5, 6), BroadcastWork(7, 8, 9, 10, 11)), SortWork(12, 13))
    sample = Sample("f", 1_000, 8, work)
    assert samples_of(through_tables(sample)) == [sample]
    assert set(STAGE_COLUMNS) >= {resource.value for resource in Resource}


def test_many_queries_come_back_in_whatever_order_their_rows_are() -> None:
    found = night(DEFAULT_COSTS, queries=30)
    rows = [row for i, sample in enumerate(found) for row in through_tables(sample, query_id=i)]
    assert samples_of(reversed(rows)) == found
    later = [{**row, "log": "a", "start_ms": 2} for row in rows[:1]]
    assert samples_of([*later, *rows])[-1].query == found[0].query


def test_a_frame_of_pandas_has_nan_where_a_column_is_null() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install airflow-spark-tuner[learn]")
    (sample, *_) = night(DEFAULT_COSTS, queries=1)
    rows = through_tables(sample)
    assert samples_of(pd.DataFrame(rows).to_dict("records")) == [sample]
    bare = dict.fromkeys(("sort_rows", "sort_ms", "broadcasts", "cores", "cpu_ms", *Resource), math.nan)
    (found,) = samples_of([{**rows[0], **bare}])
    assert found.cores == 1 and found.work.broadcasts == () and found.work.sorts == SortWork(0, 0)
    assert found.work.stages == (replace(sample.work.stages[0], amounts={}),)


def test_columns_of_another_version_are_passed_over_or_lacking() -> None:
    (sample, *_) = night(DEFAULT_COSTS, queries=1)
    rows = through_tables(sample)
    assert samples_of([{**row, "read_ahead": 5.0} for row in rows]) == [sample]
    without = [{name: value for name, value in row.items() if name != "compile"} for row in rows]
    (found,) = samples_of(without)
    assert all("compile" not in stage.amounts for stage in found.work.stages)
    assert found.core_ms == sample.core_ms


@pytest.mark.parametrize(
    "query",
    [
        NO_QUERY,
        replace(NO_QUERY, work=QueryWork((StageWork(1, 1, 0, {}),))),
        replace(NO_QUERY, work=QueryWork((StageWork(1, 1, 5, {}),)), duration_ms=None),
        replace(NO_QUERY, work=QueryWork((StageWork(1, 1, 5, {}),)), status=QueryStatus.FAILED),
    ],
)
def test_what_teaches_nothing_has_no_rows(query: Query) -> None:
    assert list(rows_of(query, [NO_STAGE])) == []


def test_wild_amounts_stay_numbers() -> None:
    query = replace(NO_QUERY, work=QueryWork((StageWork(0, 1, 5, {"spill": 10**400, "task": -(10**400)}),)))
    _, (_, row) = rows_of(query, [NO_STAGE])
    assert (row["spill"], row["task"], row["sort"]) == (2.0**63, -(2.0**63), None)


@pytest.mark.parametrize("name", ["reuse", "adaptive-single-lz4", "cache", "long"])
@pytest.mark.parametrize("documents", [True, False])
def test_tables_hold_the_samples_that_the_log_does(name: str, documents: bool) -> None:
    directory = GOLDEN / "4.3.0" / name
    tables = local_tables(directory, documents=documents)
    by_id = {row["query_id"]: {name: row[name] for name in QUERY_COLUMNS} for row in tables["query_work"]}
    (source,) = find_logs(directory)
    application = read_application(source)
    run = {"start_ms": application.start_ms, "cores": cluster_of(application).cores}
    found = samples_of({**by_id[row["query_id"]], **run, **row} for row in tables["stage_work"])
    # What a run knows of its own machine is of the run, and not kept in these tables.
    assert found == [replace(sample, stretch=0.0) for sample in samples(queries(application), cluster_of(application))]
    assert found and any(stage.cpu_ms for sample in found for stage in sample.work.stages)
    assert json.dumps([row["stages"] for row in tables["query_work"]]) == json.dumps(
        [len(sample.work.stages) for sample in found]
    )


@pytest.mark.parametrize(
    ("version", "cores", "memory", "kind"),
    [
        ("4.0.1", 4, 16 << 30, "spark-4.0_4-cores_16-GiB"),
        ("4.0.2-vendor.7", 4, 14 << 30, "spark-4.0_4-cores_16-GiB"),
        ("3.5.1", 4, 23 << 30, "spark-3.5_4-cores_32-GiB"),
        ("4.3.0", 2, 434 << 20, "spark-4.3_2-cores_0.5-GiB"),
        ("", 0, 0, "spark-unknown_unknown-cores_unknown-GiB"),
        (None, None, None, "spark-unknown_unknown-cores_unknown-GiB"),
        ("../../etc/passwd", -1, -1, "spark-unknown_unknown-cores_unknown-GiB"),
        ("9" * 300 + ".1", 1, 1, "spark-unknown_1-cores_9.313225746e-10-GiB"),
    ],
)
def test_kinds_of_clusters(version: str | None, cores: int | None, memory: int | None, kind: str) -> None:
    assert cluster_kind(version, cores, memory) == kind
    assert Path(kind).name == kind
