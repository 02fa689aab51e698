"""Draws are uniform, independent of each other, and follow Zipf's law where they should."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from tuner.bench.workloads.draws import define_draws
from tuner.bench.workloads.parquet_views import duckdb_connection

ROWS = 50_000
PURPOSES = ("a", "b", "country", "other country", "title/year")


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    with duckdb_connection() as found:
        define_draws(found, 1)
        yield found


def one(connection: Any, query: str) -> Any:
    return connection.execute(query).fetchone()[0]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_draw_is_uniform(connection: Any, purpose: str) -> None:
    tenths = connection.execute(
        f"SELECT floor(draw(id, '{purpose}') * 10), count(*) FROM range({ROWS}) t(id) GROUP BY 1 ORDER BY 1"
    ).fetchall()
    assert [tenth for tenth, _ in tenths] == list(range(10))
    # Chi-squared of nine degrees of freedom is above 28 once in a thousand times.
    assert sum((rows - ROWS / 10) ** 2 / (ROWS / 10) for _, rows in tenths) < 28


@pytest.mark.parametrize(("first", "second"), list(combinations(PURPOSES, 2)))
def test_draws_of_one_key_for_two_purposes_are_independent(connection: Any, first: str, second: str) -> None:
    cells = connection.execute(
        f"SELECT floor(draw(id, '{first}') * 8), floor(draw(id, '{second}') * 8), count(*) FROM range({ROWS}) t(id) GROUP BY 1, 2"
    ).fetchall()
    expected = ROWS / 64
    assert len(cells) == 64
    # Of 63 degrees of freedom it is above 104 once in a thousand times.
    assert sum((rows - expected) ** 2 / expected for _, _, rows in cells) < 104


def test_neighbours_and_seeds_are_independent(connection: Any) -> None:
    assert abs(one(connection, f"SELECT corr(draw(id, 'a'), draw(id + 1, 'a')) FROM range({ROWS}) t(id)")) < 0.015
    with duckdb_connection() as other:
        define_draws(other, 2)
        pairs = [
            [value for (value,) in of.execute(f"SELECT draw(id, 'a') FROM range({ROWS}) t(id)").fetchall()]
            for of in (connection, other)
        ]
    mean = [sum(values) / ROWS for values in pairs]
    together = sum((a - mean[0]) * (b - mean[1]) for a, b in zip(*pairs, strict=True)) / ROWS
    assert abs(together * 12) < 0.015


@pytest.mark.parametrize("places", [1, 3, 10])
@pytest.mark.parametrize("ranks", [30, 10_000])
def test_the_first_ranks_have_their_share(connection: Any, ranks: int, places: int) -> None:
    share = one(
        connection, f"SELECT avg((zipf({ranks}, draw(id, 'rank')) <= {places})::INTEGER) FROM range({ROWS}) t(id)"
    )
    assert share == pytest.approx(math.log(places + 1) / math.log(ranks + 1), abs=0.01)


def test_ranks_and_elements_stay_within(connection: Any) -> None:
    assert connection.execute("SELECT zipf(7, 0.0), zipf(7, 0.9999999999999999)").fetchone() == (1, 7)
    assert connection.execute("SELECT pick(['a', 'b'], 0.0), pick(['a', 'b'], 0.999999)").fetchone() == ("a", "b")
