"""Which relation is which, and that nothing is counted that the run contradicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[bench]")

from tests.bench.oracle.made import COLUMNS, connection, graph
from tuner.bench.oracle.counted_block import BlockCounter, CountedBlock
from tuner.bench.oracle.set_counts import CountLimits, NotCountedError
from tuner.bench.oracle.sql_block import sql_blocks
from tuner.model.join_graph import Joined, JoinGraph, MeasuredJoin, RelationKind

SELF_JOIN = (
    "SELECT 1 FROM title t, title t2, link l WHERE t.id = l.title_id AND t2.id = l.other_id AND "
    "t.year > 2010 AND t2.year < 1999"
)
# As its plan has them: the second title first.
PREDICATES = ((0, "id", 1, "other_id"), (1, "title_id", 2, "id"))
WRITTEN = Joined(Joined(0, 1), 2)


@pytest.fixture(scope="module")
def tables() -> Any:
    return connection()


def count(tables: Any, text: str) -> int:
    return int(tables.execute(f"SELECT count(*) FROM {text}").fetchone()[0])


@pytest.fixture(scope="module")
def true(tables: Any) -> Mapping[str, int]:
    """Rows of the sets of the self join."""
    old, new, link = "t2.year < 1999", "t.year > 2010", "l.title_id IS NOT NULL"
    return {
        "old": count(tables, f"title t2 WHERE {old}"),
        "new": count(tables, f"title t WHERE {new}"),
        "link": count(tables, f"link l WHERE {link}"),
        "old link": count(tables, f"title t2, link l WHERE t2.id = l.other_id AND {old} AND {link}"),
        "new link": count(tables, f"title t, link l WHERE t.id = l.title_id AND {new}"),
        "all": count(
            tables, f"title t, title t2, link l WHERE t.id = l.title_id AND t2.id = l.other_id AND {old} AND {new}"
        ),
    }


def ran(true: Mapping[str, int], **changed: int) -> JoinGraph:
    rows = {**true, **{name.replace("_", " "): count for name, count in changed.items()}}
    tables, relations = ("title", "link", "title"), (rows["old"], rows["link"], rows["new"])
    return graph(tables, PREDICATES, relations, {0b11: rows["old link"], 0b111: rows["all"]}, WRITTEN)


def counted(tables: Any, of: JoinGraph, text: str = SELF_JOIN, limits: CountLimits | None = None) -> CountedBlock:
    return BlockCounter(sql_blocks(text, COLUMNS), tables, limits or CountLimits()).counted(of)


def test_the_two_aliases_of_a_table_are_told_by_rows_and_keys(tables: Any, true: Mapping[str, int]) -> None:
    found = counted(tables, ran(true))
    assert found.sets == 6
    rows = {relations: measured.rows for relations, measured in found.graph.measured.items()}
    assert rows == {0b11: true["old link"], 0b110: true["new link"], 0b111: true["all"]}
    assert found.graph.measured[0b11] == ran(true).measured[0b11], "what ran keeps its strategy"
    assert found.graph.measured[0b110] == MeasuredJoin(true["new link"])


def test_aliases_with_as_many_rows_are_told_by_keys(tables: Any) -> None:
    text = "SELECT 1 FROM title t, title t2, link l WHERE t.id = l.title_id AND t2.id = l.other_id AND l.note = 2"
    link = count(tables, "link l WHERE note = 2 AND title_id IS NOT NULL")
    of = graph(("title", "link", "title"), PREDICATES, (200, link, 200), {0b11: link, 0b111: link}, WRITTEN)
    assert {c.rows for c in counted(tables, of, text).graph.measured.values()} == {link}


def test_relations_that_nothing_tells_apart_are_left_out(tables: Any) -> None:
    text = (
        "SELECT 1 FROM info a, info b, title t WHERE a.title_id = t.id AND b.title_id = t.id AND a.fact = 1 AND b.fact = 2 "
        "AND t.id % 2 = 0"
    )
    predicates = ((0, "title_id", 1, "id"), (2, "title_id", 1, "id"))
    of_all = count(tables, text.removeprefix("SELECT 1 FROM "))
    of = graph(("info", "title", "info"), predicates, (125, 100, 125), {0b111: of_all}, WRITTEN)
    with pytest.raises(NotCountedError, match="neither keys nor rows tell"):
        counted(tables, of, text)


def test_relations_that_are_the_same_need_not_be_told_apart(tables: Any) -> None:
    text = "SELECT 1 FROM info a, info b, title t WHERE a.title_id = t.id AND b.title_id = t.id AND a.fact = 1 AND b.fact = 1"
    predicates = ((0, "title_id", 1, "id"), (2, "title_id", 1, "id"))
    of_all = count(tables, text.removeprefix("SELECT 1 FROM "))
    of = graph(("info", "title", "info"), predicates, (125, 200, 125), {0b111: of_all}, WRITTEN)
    assert counted(tables, of, text).sets == 6


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"old": 7}, "its filters left 7 rows of title, not the"),
        ({"old_link": 7}, "its join of link, title ran with 7 rows, not the"),
        ({"all": 7}, "its join of link, title, title ran with 7 rows, not the"),
    ],
)
def test_what_ran_otherwise_is_left_out(
    tables: Any, true: Mapping[str, int], changed: dict[str, int], why: str
) -> None:
    with pytest.raises(NotCountedError, match=why):
        counted(tables, ran(true, **changed))


def test_other_keys_are_left_out(tables: Any, true: Mapping[str, int]) -> None:
    of = ran(true)
    other = replace(of, predicates=(replace(of.predicates[0], left_key="/data/title.kind_id"), *of.predicates[1:]))
    with pytest.raises(NotCountedError, match="compare other columns"):
        counted(tables, other)


def test_blocks_of_other_things_are_left_out(tables: Any, true: Mapping[str, int]) -> None:
    of = ran(true)
    first, *others = of.relations
    with pytest.raises(NotCountedError, match="more than base tables"):
        counted(tables, replace(of, relations=(replace(first, kind=RelationKind.AGGREGATE), *others)))
    with pytest.raises(NotCountedError, match="at run time"):
        counted(tables, replace(of, relations=(replace(first, runtime_filtered=True), *others)))
    with pytest.raises(NotCountedError, match="no part of the query's text joins just info, link, title"):
        counted(tables, replace(of, relations=(replace(first, relations=("/data/info",)), *others)))


def test_rows_that_were_not_measured_are_those_counted(tables: Any, true: Mapping[str, int]) -> None:
    of = ran(true)
    first, *others = of.relations
    found = counted(tables, replace(of, relations=(replace(first, rows=None), *others)))
    assert found.graph.relations[0].rows == true["old"]


def test_larger_sets_than_the_limit_may_have_run(tables: Any) -> None:
    text = "SELECT 1 FROM kind k, title t, price p WHERE t.kind_id = k.id AND p.amount < k.id AND p.item = t.id"
    of_title = count(tables, "title t, kind k WHERE t.kind_id = k.id")
    of_all = count(tables, text.removeprefix("SELECT 1 FROM "))
    predicates = ((0, "kind_id", 1, "id"), (2, "item", 0, "id"))
    of = graph(("title", "kind", "price"), predicates, (200, 5, 120), {0b11: of_title, 0b111: of_all}, WRITTEN)
    found = counted(tables, of, text, CountLimits(rows=100))
    assert 0b11 in found.at_least
    assert found.graph.measured[0b11].rows == of_title == 200
    with pytest.raises(NotCountedError, match="ran with 90 rows"):
        counted(tables, replace(of, measured={**of.measured, 0b11: MeasuredJoin(90)}), text, CountLimits(rows=100))
