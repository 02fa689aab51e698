"""Tables whose rows with k of 8 and 9 are bad: what reads their texts as numbers, JSON, patterns, zones fails on them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_ROWS, _FILES = 120, 2
BAD = 8


def write_fragile_tables(directory: Path) -> Path:
    """f with bad rows; g, which has no key of them; c and e to join besides. f in several files, one folder a table."""
    rng = random.Random(8)
    for name, columns in _tables(rng).items():
        (directory / name).mkdir(parents=True)
        table = pa.table(columns)
        step = -(-table.num_rows // _FILES) if name == "f" else table.num_rows
        for number in range(_FILES if name == "f" else 1):
            pq.write_table(table.slice(number * step, step), directory / name / f"part-{number}.parquet")
    return directory


def _tables(rng: random.Random) -> dict[str, dict[str, Any]]:
    keys = [rng.randrange(10) for _ in range(_ROWS)]

    def texts(good: list[str], bad: str) -> list[str]:
        return [bad if key >= BAD else rng.choice(good) for key in keys]

    return {
        "f": {
            "id": pa.array(range(_ROWS), pa.int64()),
            "k": pa.array(keys, pa.int32()),
            "j": pa.array([rng.randrange(6) for _ in keys], pa.int32()),
            "n": pa.array([rng.randrange(4) for _ in keys], pa.int32()),
            "d": pa.array([rng.random() * 10 ** rng.randrange(-3, 9) for _ in keys], pa.float64()),
            "v": pa.array(texts(["12", "7", "3"], "bad"), pa.string()),
            "js": pa.array(texts(['{"x": 1}', '{"x": 2}'], '{"x": '), pa.string()),
            "xml": pa.array(texts(["<a>1</a>", "<a>2</a>"], "<a>1"), pa.string()),
            "pat": pa.array(texts(["a", "b", "y"], "(["), pa.string()),
            "tz": pa.array(texts(["UTC", "Europe/Paris"], "Mars/Crater"), pa.string()),
            "cs": pa.array(texts(["UTF-8", "ISO-8859-1"], "no charset"), pa.string()),
            "big": pa.array([2_000_000_000 if key >= BAD else 2 for key in keys], pa.int32()),
            "zero": pa.array([0 if key >= BAD else 1 + key for key in keys], pa.int32()),
        },
        "g": {
            "k": pa.array([*range(BAD), 1, 5, 5, None], pa.int32()),
            "gw": pa.array([rng.choice("abc") for _ in range(12)], pa.string()),
        },
        "c": {
            "m": pa.array([rng.randrange(4) for _ in range(9)], pa.int32()),
            "n": pa.array([rng.randrange(4) for _ in range(9)], pa.int32()),
            "cw": pa.array([f"c{number}" for number in range(9)], pa.string()),
        },
        "e": {
            "j": pa.array([0, 1, 2, 3, 4, 2, 4], pa.int32()),
            "p": pa.array([rng.randrange(4) for _ in range(7)], pa.int32()),
            "ew": pa.array([f"e{number}" for number in range(7)], pa.string()),
        },
        "none": {"k": pa.array([], pa.int32()), "nw": pa.array([], pa.string())},
    }
