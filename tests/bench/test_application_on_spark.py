"""What the bench's job writes down on real Spark, over temporary views and over tables of a catalog."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")

from tuner.bench import application

APPLICATION = Path(__file__).with_name("measured_app.py")

pytestmark = [pytest.mark.spark, pytest.mark.nightly]


@dataclass(frozen=True)
class Measured:
    """What was written down of each statement, the folders that they ran over, and a copy of these as they were."""

    tables: Path
    kept: Path
    views: dict[str, dict[str, Any]]
    catalog: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, spark_submit: Callable[..., Path]) -> Measured:
    directory = tmp_path_factory.mktemp("measured")
    for folder in ("parted/p=1", "parted/p=2", "plain"):
        file = directory / "tables" / folder / "part.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.table({"a": [1, 2, 3]}), file)
    shutil.copytree(directory / "tables", directory / "kept")
    found = directory / "found.json"
    spark_submit(APPLICATION, directory / "tables", found, log_dir=directory / "log")
    return Measured(directory / "tables", directory / "kept", **json.loads(found.read_text("utf-8")))


def files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


def test_the_catalog_has_the_rows_of_all_partitions(measured: Measured) -> None:
    name = "rows by partition"
    assert measured.views[name]["rows"] == 2
    assert measured.catalog[name]["digest"] == measured.views[name]["digest"]


def test_what_may_write_is_not_run_and_the_folders_are_as_they_were(measured: Measured) -> None:
    for told in (measured.views, measured.catalog):
        assert {name: one["rows"] for name, one in told.items() if "error" not in one} == {
            "rows by partition": 2,
            "a query": 3,
            "a temporary view": 0,
            "a view that is read": 3,
        }
        assert "PARSE_SYNTAX_ERROR" in told["no SQL"]["error"]
        refused = {name: one["error"] for name, one in told.items() if "not run" in one.get("error", "")}
        assert refused.keys() == set(told) - {
            "rows by partition",
            "a query",
            "a temporary view",
            "a view that is read",
            "no SQL",
        }
        assert refused["insert"] == application.NOT_RUN % "InsertIntoStatement"
    assert {path.relative_to(measured.tables).as_posix(): path.read_bytes() for path in files(measured.tables)} == {
        path.relative_to(measured.kept).as_posix(): path.read_bytes() for path in files(measured.kept)
    }
