"""Blocks of joins as a query's text has them."""

from __future__ import annotations

import pytest

from tests.bench.oracle.made import COLUMNS, block, conditions
from tuner.bench.oracle.sql_block import SqlRelation, sql_blocks


def test_relations_by_alias_and_table() -> None:
    found = block("SELECT 1 FROM title AS t, kind, title t2 WHERE t.kind_id = kind.id AND t2.id = t.id")
    assert found.relations == (SqlRelation("title", "t"), SqlRelation("kind", "kind"), SqlRelation("title", "t2"))
    assert [c.keys for c in found.conditions if c.keys] == [((0, "kind_id"), (1, "id")), ((2, "id"), (0, "id"))]


def test_columns_without_a_table_are_those_of_the_only_one_that_has_them() -> None:
    found = block("SELECT count(*) FROM title, link WHERE title_id = id AND year > 2000 AND note = 1")
    assert {'"title"."year" > 2000', 'NOT "title"."id" IS NULL'} == conditions(found, "title")
    assert {'"link"."note" = 1', 'NOT "link"."title_id" IS NULL'} == conditions(found, "link")


def test_literals_stay_quoted() -> None:
    found = block(
        "SELECT 1 FROM title t JOIN kind k ON t.kind_id = k.id WHERE t.name = 'it''s 3; DROP' AND k.kind LIKE '%o\"x_'"
    )
    assert "\"t\".\"name\" = 'it''s 3; DROP'" in conditions(found, "t")
    assert '"k"."kind" LIKE \'%o"x_\'' in conditions(found, "k")


def test_empty_texts_and_quotes_at_their_ends() -> None:
    found = block(
        "SELECT 1 FROM title t, kind k WHERE t.kind_id = k.id AND k.kind IN ('', 'a''', '''b', 'c') AND t.name <> ''"
    )
    assert "\"k\".\"kind\" IN ('', 'a''', '''b', 'c')" in conditions(found, "k")
    assert '"t"."name" <> \'\'' in conditions(found, "t")


def test_a_condition_over_three_relations() -> None:
    found = block("SELECT 1 FROM title t, link l, info i WHERE t.id + l.note = i.fact AND t.id = l.title_id")
    assert conditions(found, "t", "l", "i") == {'"t"."id" + "l"."note" = "i"."fact"'}
    assert conditions(found, "i") == {'NOT "i"."fact" IS NULL'}
    assert 'NOT "l"."note" IS NULL' in conditions(found, "l")


def test_or_over_two_relations_leaves_each_what_it_says_of_it() -> None:
    found = block(
        "SELECT 1 FROM title t, kind k WHERE t.kind_id = k.id AND "
        "((t.year = 1999 AND k.kind = 'a' AND t.id < 5) OR (t.year = 2000 AND k.kind = 'b'))"
    )
    assert len(conditions(found, "t", "k")) == 2
    assert any("1999" in text and "2000" in text and "OR" in text for text in conditions(found, "t"))
    assert any("'a'" in text and "'b'" in text and "1999" not in text for text in conditions(found, "k"))


def test_or_that_one_relation_may_fulfil_leaves_the_other_nothing() -> None:
    found = block("SELECT 1 FROM title t, kind k WHERE t.kind_id = k.id AND (t.year = 1999 OR k.kind = 'a')")
    assert conditions(found, "t") == {'NOT "t"."kind_id" IS NULL'}
    assert conditions(found, "k") == {'NOT "k"."id" IS NULL'}


def test_what_may_be_null_is_not_taken_for_not_null() -> None:
    found = block("SELECT 1 FROM title t, kind k WHERE coalesce(t.kind_id, 0) = k.id")
    assert not conditions(found, "t")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM title t LEFT JOIN kind k ON t.kind_id = k.id",
        "SELECT 1 FROM title t RIGHT JOIN kind k ON t.kind_id = k.id JOIN link l ON l.title_id = t.id",
        "SELECT 1 FROM title t LEFT SEMI JOIN kind k ON t.kind_id = k.id JOIN link l ON l.title_id = t.id",
        "SELECT 1 FROM title t JOIN kind USING (id)",
        "SELECT 1 FROM title t, (SELECT id FROM kind) k WHERE t.kind_id = k.id",
        "WITH kind AS (SELECT 1 AS id) SELECT 1 FROM title t, kind k WHERE t.kind_id = k.id",
        "SELECT 1 FROM title t, elsewhere e WHERE t.id = e.id",
        "SELECT 1 FROM title, kind WHERE id = 3",
        "SELECT 1 FROM title t, kind k WHERE t.kind_id = k.id AND t.no_such = 1",
        "SELECT 1 FROM title",
    ],
)
def test_other_blocks_are_left_out(text: str) -> None:
    assert sql_blocks(text, COLUMNS) == []


def test_tables_of_left_outer_joins_stand_above_the_block() -> None:
    found = block(
        "SELECT 1 FROM title t LEFT OUTER JOIN info i ON t.id = i.title_id AND t.year > 1 JOIN link l ON l.title_id = t.id "
        "LEFT JOIN kind k ON t.kind_id = k.id WHERE k.kind IS NULL AND fact = 3 AND l.note = i.fact AND t.year = 1999"
    )
    assert [relation.alias for relation in found.relations] == ["t", "l"]
    assert conditions(found, "t") == {'"t"."year" = 1999', 'NOT "t"."id" IS NULL'}
    assert conditions(found, "l") == {'NOT "l"."title_id" IS NULL'}
    assert len(conditions(found, "t", "l")) == 1


def test_conditions_with_subqueries_are_left_to_what_ran() -> None:
    text = (
        "SELECT 1 FROM title t, kind k WHERE t.kind_id = k.id AND "
        "t.id IN (SELECT l.title_id FROM link l, info i WHERE l.note = i.fact)"
    )
    outer, inner = sql_blocks(text, COLUMNS)
    assert [relation.alias for relation in outer.relations] == ["t", "k"]
    assert [relation.alias for relation in inner.relations] == ["l", "i"]
    assert not any("SELECT" in condition.text for condition in outer.conditions)
