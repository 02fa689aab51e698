"""Counted rows are those that a query of each set returns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[bench]")

from tests.bench.oracle.made import block, connection
from tuner.bench.oracle.keyed_edges import tree_pairs
from tuner.bench.oracle.set_counts import CountLimits, NotCountedError, count_sets
from tuner.bench.oracle.sql_block import SqlBlock
from tuner.bench.oracle.subset_text import count_text

LIMITS = CountLimits()
TREES = {
    "chain": "SELECT 1 FROM kind k, title t, link l WHERE k.id = t.kind_id AND t.id = l.title_id AND l.note > 0",
    "self join": "SELECT 1 FROM title t, title t2, link l, kind k WHERE t.id = l.title_id AND t2.id = l.other_id "
    "AND t.kind_id = k.id AND t.year > 2000 AND t2.year < 2000",
    "star": "SELECT 1 FROM title t, link l, info i, info i2, kind k WHERE t.id = l.title_id AND t.id = i.title_id AND "
    "i2.title_id = t.id AND t.kind_id = k.id AND i.fact = 1 AND i2.fact IN (2, 3) AND k.kind <> 'kind 2'",
    "two keys": "SELECT 1 FROM link l, info i, title t WHERE l.title_id = i.title_id AND i.fact = l.note AND l.other_id = t.id",
    "texts": "SELECT 1 FROM kind k, kind k2, title t WHERE k.kind = k2.kind AND t.kind_id = k2.id AND t.name LIKE 'it''s 1%'",
    "none": "SELECT 1 FROM title t, kind k, link l WHERE t.kind_id = k.id AND l.title_id = t.id AND t.year = 1066",
}
OTHERS = {
    "circle": "SELECT 1 FROM title t, link l, info i WHERE t.id = l.title_id AND t.id = i.title_id AND l.title_id = i.title_id",
    "three": "SELECT 1 FROM title t, link l, info i WHERE t.id = l.title_id AND i.title_id = t.id AND "
    "t.kind_id + l.note = i.fact",
    "either": "SELECT 1 FROM title t, kind k, link l WHERE t.kind_id = k.id AND t.id = l.title_id AND "
    "((t.year < 2000 AND k.kind = 'kind 1') OR (t.year > 2010 AND k.kind = 'kind 3'))",
    "range": "SELECT 1 FROM kind k, title t, price p WHERE t.kind_id = k.id AND p.amount < k.id AND p.item = t.id",
}


@pytest.fixture(scope="module")
def tables() -> Any:
    return connection()


def rows(of: SqlBlock, relations: int, tables: Any) -> int:
    return int(tables.execute(count_text(of, relations, 10**9)).fetchone()[0])


@pytest.mark.parametrize("text", [*TREES.values(), *OTHERS.values()], ids=[*TREES, *OTHERS])
def test_each_set_has_the_rows_of_its_query(text: str, tables: Any) -> None:
    of = block(text)
    assert (tree_pairs(of) is not None) == (text in TREES.values())
    found = count_sets(of, tables, LIMITS)
    assert not found.at_least
    assert found.rows == {relations: rows(of, relations, tables) for relations in found.rows}
    assert found.rows[of.everything] == tables.execute(text.replace("SELECT 1", "SELECT count(*)", 1)).fetchone()[0]
    assert all(1 << number in found.rows for number in range(len(of.relations)))


def test_only_sets_that_are_joined_are_counted(tables: Any) -> None:
    of = block(TREES["chain"])
    assert set(count_sets(of, tables, LIMITS).rows) == {0b1, 0b10, 0b100, 0b11, 0b110, 0b111}


def test_too_many_sets_are_not_counted(tables: Any) -> None:
    limits = replace(LIMITS, sets=5)
    for text in (TREES["chain"], OTHERS["three"]):
        with pytest.raises(NotCountedError, match="more than the 5|more than 5"):
            count_sets(block(text), tables, limits)


def test_counting_ends_in_time(tables: Any) -> None:
    for text in (TREES["chain"], OTHERS["three"]):
        with pytest.raises(NotCountedError, match="takes more than 0 s"):
            count_sets(block(text), tables, replace(LIMITS, seconds=0.0))


def test_a_query_that_takes_too_long_is_interrupted(tables: Any) -> None:
    text = (
        "SELECT 1 FROM link a, link b, link c, link e, info d WHERE a.note <= b.note AND b.note <= c.note AND "
        "c.note <= e.note AND c.note + a.note + b.note + e.note < -d.fact"
    )
    with pytest.raises(NotCountedError, match="takes more than"):
        count_sets(block(text), tables, CountLimits(seconds=1.0, rows=10**12))


def test_large_sets_have_at_least_the_limit(tables: Any) -> None:
    of = block(OTHERS["range"])
    exact, limited = count_sets(of, tables, LIMITS), count_sets(of, tables, replace(LIMITS, rows=150))
    assert limited.at_least == {r for r, count in exact.rows.items() if r.bit_count() > 1 and count > 150}
    assert limited.at_least
    assert limited.rows == {r: 151 if r in limited.at_least else count for r, count in exact.rows.items()}


def test_however_many_rows_there_are_by_keys_they_are_counted(tables: Any) -> None:
    names = [f"i{number}" for number in range(9)]
    text = f"SELECT 1 FROM {', '.join(f'info {name}' for name in names)} WHERE " + " AND ".join(
        f"i0.fact = {name}.fact" for name in names[1:]
    )
    assert count_sets(block(text), tables, LIMITS).rows[(1 << 9) - 1] == pytest.approx(4 * 125**9)
