"""A star whose join orders differ by factors: a fact table, and dimensions too large for Spark to broadcast unasked.

Each key of a and b stands for several rows: joined early, a frequent value makes many rows of few.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

# Its filters keep more than Spark broadcasts of a frequent value, less of others: on two cores the query of two joins takes 6.6 s
# in one order and 1.2 s in the other.
FACTS = 4_000_000
KEYS = 100_000
COPIES = 10
# Of a dimension's rows, those that a filter on its frequent, its usual and its rare value keep.
SHARES = {"frequent": 0.90, "usual": 0.095, "rare": 0.005}
# Names of which each is half as frequent as the one before: of a million rows the first has half, the last about twenty.
NAMES = tuple(f"name {number}" for number in range(16))
_FILES = 4

_Array = npt.NDArray[np.int64]


def make_star(folder: Path, seed: int, facts: int = FACTS, *, hot: float = 0.0, nulls: float = 0.0) -> None:
    """Tables f, a, b and c. `hot` is the share of facts that have one key of a, `nulls` of those that have none."""
    chance = np.random.default_rng(seed)
    write_facts(folder / "f", chance, facts, hot=hot, nulls=nulls)
    for name, copies in (("a", COPIES), ("b", COPIES), ("c", 1)):
        write_dimension(folder / name, chance, KEYS, copies=copies)


def write_facts(
    folder: Path, chance: np.random.Generator, rows: int, *, hot: float = 0.0, nulls: float = 0.0, keys: int = KEYS
) -> None:
    """Facts with keys of a, b and c, and a day of a month."""
    a = chance.integers(0, keys, rows)
    a[chance.random(rows) < hot] = 7
    missing = chance.random(rows) < nulls
    columns = {
        "ak": pa.array(a, mask=missing),
        "bk": pa.array(chance.integers(0, keys, rows)),
        "ck": pa.array(chance.integers(0, keys, rows)),
        "day": pa.array(chance.integers(1, 29, rows)),
        "v": pa.array(chance.integers(0, 1000, rows)),
        "padding": pa.array(chance.integers(0, 1 << 62, rows)),
    }
    write(folder, pa.table(columns))


def write_dimension(folder: Path, chance: np.random.Generator, rows: int, *, copies: int = COPIES) -> None:
    """Keys 0 to `rows`, each `copies` times, with a category by `SHARES`, a group and what makes it large."""
    keys = np.repeat(np.arange(rows), copies)
    names, shares = list(SHARES), list(SHARES.values())
    columns = {
        "k": pa.array(keys),
        "cat": pa.array(chance.choice(names, len(keys), p=shares)),
        "name": _names(len(keys)),
        "g": pa.array(chance.integers(0, 50, len(keys))),
        # Files beyond spark.sql.autoBroadcastJoinThreshold, of which no query reads this.
        "padding": _random_bytes(chance, len(keys)),
    }
    write(folder, pa.table(columns))


def _names(rows: int) -> pa.Array:
    """Drawn by themselves: the other columns are what they were without them."""
    places = np.minimum(np.random.default_rng(rows).geometric(0.5, rows), len(NAMES)) - 1
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), list(NAMES)).cast(pa.string())


def _random_bytes(chance: np.random.Generator, rows: int) -> pa.Array:
    """100 in each row."""
    return pa.Array.from_buffers(pa.binary(100), rows, [None, pa.py_buffer(chance.bytes(100 * rows))])


def write(folder: Path, table: pa.Table) -> None:
    """A table in a few files, in place of what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.parquet"):
        old.unlink()
    size = -(-max(1, table.num_rows) // _FILES)
    for number in range(_FILES):
        pq.write_table(table.slice(number * size, size), folder / f"part-{number}.parquet")
