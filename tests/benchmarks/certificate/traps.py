"""What nights bring: other values, other sizes, other data, and inputs that are not there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.certificate.star import COPIES, FACTS, KEYS, NAMES, make_star, write, write_dimension, write_facts
from tests.benchmarks.certificate.trap import Night, Trap

# Nights in which a job learns before something happens.
LEARNS = 3

TWO = """SELECT b.g, count(*) AS n, sum(f.v) AS v FROM f JOIN a ON f.ak = a.k JOIN b ON f.bk = b.k
WHERE a.cat = '{a}' AND b.cat = '{b}' GROUP BY b.g"""
THREE = """SELECT a.g, c.g AS h, count(*) AS n, max(f.v) AS v FROM f JOIN a ON f.ak = a.k JOIN b ON f.bk = b.k
JOIN c ON f.ck = c.k WHERE a.cat = '{a}' AND b.cat = '{b}' AND c.cat <> '{a}' GROUP BY a.g, c.g"""
OUTER = """SELECT b.g, count(a.k) AS n, sum(f.v) AS v FROM f LEFT JOIN a ON f.ak = a.k AND a.cat = '{a}'
JOIN b ON f.bk = b.k WHERE b.cat = '{b}' GROUP BY b.g"""
QUERIES = {"sales by group": TWO, "sales by two groups": THREE, "all sales by group": OUTER}
# The same of names, of which each night asks for others.
BY_NAME = {query: QUERIES[query].replace(".cat", ".name") for query in ("sales by group", "all sales by group")}
BY_DAY = {
    "a day's sales": """SELECT b.g, count(*) AS n, sum(f.v) AS v FROM f JOIN a ON f.ak = a.k JOIN b ON f.bk = b.k
WHERE f.day = {day} AND a.cat = 'usual' AND b.cat = 'usual' GROUP BY b.g""",
    "sales since": """SELECT a.g, count(*) AS n FROM f JOIN a ON f.ak = a.k JOIN b ON f.bk = b.k JOIN c ON f.ck = c.k
WHERE f.day <= {day} AND b.cat = 'rare' AND c.cat = 'frequent' GROUP BY a.g""",
}
# How much is sold on the days of a week.
WEEK = (1.0, 1.2, 0.9, 1.1, 1.3, 0.5, 0.35)
# What teams set whose jobs died for a broadcast.
_NO_BROADCASTS = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
_USUAL: Mapping[str, str] = {"a": "frequent", "b": "rare"}
_OTHER: Mapping[str, str] = {"a": "rare", "b": "frequent"}
# One a night, as of a task that is mapped over tenants.
_TURNS: Sequence[Mapping[str, str]] = (_USUAL, {"a": "rare", "b": "usual"}, {"a": "usual", "b": "rare"})


def traps(seed: int) -> Sequence[Trap]:
    """All of them; another seed has other data, and other values in other nights."""
    chance = np.random.default_rng(seed)
    return (
        _on_star("swapped values", [*_nights(_USUAL), *_nights(_OTHER, 2), *_nights(_USUAL, 2), *_nights(_OTHER, 1)]),
        _on_star(
            "swapped values, broadcasts off",
            [*_nights(_USUAL), *_nights(_OTHER, 2), *_nights(_USUAL, 2), *_nights(_OTHER, 1)],
            scale=0.5,
            conf=_NO_BROADCASTS,
        ),
        _on_star(
            "swapped values, small heap",
            [Night([v], driver_memory="1g") for v in (*[_USUAL] * LEARNS, _OTHER, _OTHER, _USUAL)],
        ),
        _on_star("a loop over values", [Night(_several(chance, n)) for n in range(LEARNS + 3)], ("sales by group",)),
        _on_star("values in turns", [Night([_TURNS[n % 3]]) for n in range(3 * LEARNS)], ("sales by group",)),
        Trap("values that never come back", _star, BY_NAME, [Night([v]) for v in _never_again(chance)], {}),
        Trap("days that advance", _days, BY_DAY, [Night([{"day": str(n + 2)}]) for n in range(LEARNS + 4)], {}),
        Trap("days of a week", _week, BY_DAY, [Night([{"day": str(n + 2)}]) for n in range(LEARNS + 6)], {}),
        _on_star("a back-fill", [*_nights(_USUAL), Night([_USUAL], _tenfold), *_nights(_USUAL, 2)], scale=0.2),
        _on_star("a dimension 8 times as large", [*_nights(_USUAL), Night([_USUAL], _larger), *_nights(_USUAL, 2)]),
        _on_star("a dimension whose keys repeat", [*_nights(_USUAL), Night([_USUAL], _repeats), *_nights(_USUAL, 2)]),
        _on_star(
            "nothing in a dimension",
            [*_nights(_USUAL), Night([_USUAL], _empty), Night([_USUAL], _full)],
            scale=0.5,
            conf=_NO_BROADCASTS,
        ),
        _on_star(
            "skewed and missing keys", [*_nights(_USUAL), *_nights(_OTHER, 1), *_nights(_USUAL, 1)], hot=0.3, nulls=0.2
        ),
        _on_star(
            "an input that is late",
            [
                *_nights(_USUAL, 2),
                Night([_USUAL], misses_input=True),
                *_nights(_USUAL, 1),
                Night([_USUAL], misses_input=True),
            ],
        ),
    )


def _on_star(
    name: str,
    nights: Sequence[Night],
    queries: Sequence[str] = tuple(QUERIES),
    *,
    scale: float = 1.0,
    hot: float = 0.0,
    nulls: float = 0.0,
    conf: Mapping[str, str] | None = None,
) -> Trap:
    def make(folder: Path, seed: int) -> None:
        make_star(folder, seed, int(scale * FACTS), hot=hot, nulls=nulls)

    return Trap(name, make, {query: QUERIES[query] for query in queries}, nights, conf or {})


def _nights(values: Mapping[str, str], count: int = LEARNS) -> list[Night]:
    return [Night([values]) for _ in range(count)]


def _several(chance: np.random.Generator, night: int) -> list[dict[str, str]]:
    """Pairs of values in another order each night; the last ones come only after some nights."""
    pairs = [{"a": a, "b": b} for a in ("rare", "usual") for b in ("rare", "usual", "frequent")]
    known = pairs[: 4 if night < LEARNS + 1 else 6]
    return [known[i] for i in chance.permutation(len(known))[:4]]


def _never_again(chance: np.random.Generator) -> list[dict[str, str]]:
    """Frequent and rare ones in any combination."""
    return [
        {"a": NAMES[a], "b": NAMES[b]} for a, b in zip(*(chance.permutation(len(NAMES)) for _ in "ab"), strict=True)
    ]


def _star(folder: Path, seed: int) -> None:
    make_star(folder, seed)


def _days(folder: Path, seed: int) -> None:
    make_star(folder, seed, FACTS)
    rows = pq.read_table(folder / "f").to_pandas()
    chance = np.random.default_rng(seed + 1)
    # The last night but one has a day of ten times the rows of another.
    rows.loc[chance.random(len(rows)) < 0.26, "day"] = LEARNS + 4
    write(folder / "f", pa.Table.from_pandas(rows, preserve_index=False))


def _week(folder: Path, seed: int) -> None:
    make_star(folder, seed, FACTS)
    rows = pq.read_table(folder / "f").to_pandas()
    shares = np.array([WEEK[day % len(WEEK)] for day in range(1, 29)])
    rows["day"] = np.random.default_rng(seed + 1).choice(np.arange(1, 29), len(rows), p=shares / shares.sum())
    write(folder / "f", pa.Table.from_pandas(rows, preserve_index=False))


def _change(make: Callable[[Path, np.random.Generator], None]) -> Callable[[Path, int], None]:
    return lambda folder, seed: make(folder, np.random.default_rng(seed))


_tenfold = _change(lambda folder, chance: write_facts(folder / "f", chance, 2 * FACTS))
_larger = _change(lambda folder, chance: write_dimension(folder / "b", chance, 8 * KEYS))
_repeats = _change(lambda folder, chance: write_dimension(folder / "b", chance, KEYS, copies=4 * COPIES))
_empty = _change(lambda folder, chance: write_dimension(folder / "b", chance, 0))
_full = _change(lambda folder, chance: write_dimension(folder / "b", chance, KEYS))
