"""Small tables with NULLs and duplicates in every key, as Parquet."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

GRAPH_TABLES = tuple(f"t{number}" for number in range(7))
_GRAPH_ROWS = (16, 7, 12, 20, 9, 14, 5)
_WORDS = ("ash", "birch", "cedar", "elm", "fir", "oak", None)


def write_small_tables(directory: Path) -> Path:
    """Tables of a shop, and t0 to t6 with the columns a, b, c and s, one folder each."""
    rng = random.Random(20)
    for name, columns in {**_shop(rng), **_graph_tables(rng)}.items():
        (directory / name).mkdir(parents=True)
        pq.write_table(pa.table(columns), directory / name / "part-0.parquet")
    return directory


def _column(rng: random.Random, rows: int, draw: Callable[[], Any], nulls: float) -> list[Any]:
    return [None if rng.random() < nulls else draw() for _ in range(rows)]


def _shop(rng: random.Random) -> dict[str, dict[str, Any]]:
    def some(rows: int, draw: Callable[[], Any], nulls: float = 0.0) -> list[Any]:
        return _column(rng, rows, draw, nulls)

    return {
        "orders": {
            "id": pa.array(range(400), pa.int64()),
            "customer": pa.array(some(400, lambda: rng.randrange(40), 0.1), pa.int64()),
            "item": pa.array(some(400, lambda: rng.randrange(25), 0.05), pa.int32()),
            "store": pa.array(some(400, lambda: rng.randrange(8), 0.05), pa.int32()),
            "qty": pa.array(some(400, lambda: rng.randrange(10)), pa.int32()),
            "price": pa.array(some(400, lambda: round(rng.random() * 100, 2), 0.05), pa.float64()),
            "day": pa.array(some(400, lambda: rng.randrange(1, 29)), pa.int32()),
            "tags": pa.array(some(400, lambda: rng.sample(["new", "red", "big"], rng.randrange(3)))),
        },
        "customers": {
            "id": pa.array([*range(45), None, None, 3, 7], pa.int64()),
            "region": pa.array(some(49, lambda: rng.randrange(6), 0.15), pa.int32()),
            "name": pa.array(some(49, lambda: rng.choice(_WORDS))),
        },
        "items": {
            "id": pa.array([*range(28), None, 5], pa.int32()),
            "category": pa.array(some(30, lambda: rng.randrange(5), 0.1), pa.int32()),
            "brand": pa.array(some(30, lambda: rng.choice(_WORDS))),
            "price": pa.array(some(30, lambda: round(rng.random() * 100, 2)), pa.float64()),
        },
        "stores": {
            "id": pa.array([*range(8), 2, None], pa.int32()),
            "region": pa.array(some(10, lambda: rng.randrange(6), 0.2), pa.int32()),
            "city": pa.array(some(10, lambda: rng.choice(_WORDS))),
        },
        "regions": {
            "id": pa.array([0, 1, 2, 3, 4, 5, None], pa.int32()),
            "name": pa.array(["north", "east", "south", "west", "centre", None, "nowhere"]),
        },
        "returned": {
            "order_id": pa.array(some(90, lambda: rng.randrange(420), 0.1), pa.int64()),
            "item": pa.array(some(90, lambda: rng.randrange(25), 0.1), pa.int32()),
            "qty": pa.array(some(90, lambda: rng.randrange(5)), pa.int32()),
        },
    }


def _graph_tables(rng: random.Random) -> dict[str, dict[str, Any]]:
    return {
        name: {
            **{
                key: pa.array(
                    _column(rng, rows, lambda: rng.randrange(6), 0.2), pa.int64() if key == "b" else pa.int32()
                )
                for key in ("a", "b", "c")
            },
            "s": pa.array(_column(rng, rows, lambda: rng.choice(_WORDS[:4]), 0.15), pa.string()),
        }
        for name, rows in zip(GRAPH_TABLES, _GRAPH_ROWS, strict=True)
    }
