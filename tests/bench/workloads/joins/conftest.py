"""The catalogue at the scale of tests: ten thousand titles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.workloads.made import SCALE_FACTOR, SEED
from tuner.bench.workloads.joins.catalogue import make_catalogue
from tuner.bench.workloads.parquet_views import parquet_views


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[bench]")
    directory = tmp_path_factory.mktemp("joins") / f"joins-sf{SCALE_FACTOR:g}-seed{SEED}"
    make_catalogue(directory, SCALE_FACTOR, SEED)
    return directory


@pytest.fixture(scope="session")
def connection(catalogue: Path) -> Iterator[Any]:
    with parquet_views(catalogue, SEED) as found:
        yield found
