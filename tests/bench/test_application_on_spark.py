"""What the bench's job writes down on real Spark, over temporary views and over tables of a catalog."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

APPLICATION = Path(__file__).with_name("measured_app.py")

pytestmark = pytest.mark.spark


@dataclass(frozen=True)
class Measured:
    """What was written down of each statement, and the folders that they ran over."""

    tables: Path
    views: dict[str, dict[str, Any]]
    catalog: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, spark_submit: Callable[..., Path]) -> Measured:
    directory = tmp_path_factory.mktemp("measured")
    for folder in ("parted/p=1", "parted/p=2", "plain"):
        file = directory / "tables" / folder / "part.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(pa.table({"a": [1, 2, 3]}), file)
    found = directory / "found.json"
    spark_submit(APPLICATION, directory / "tables", found, log_dir=directory / "log")
    return Measured(directory / "tables", **json.loads(found.read_text("utf-8")))


def test_the_catalog_has_the_rows_of_all_partitions(measured: Measured) -> None:
    name = "rows by partition"
    assert measured.views[name]["rows"] == 2
    assert measured.catalog[name]["digest"] == measured.views[name]["digest"]
