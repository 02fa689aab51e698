"""From paths to joins."""

from __future__ import annotations

import pytest

from tuner.bench.workloads.joins.join_size import prefixes
from tuner.bench.workloads.joins.join_tree import from_other_root, join_tree
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.joins.templates import TEMPLATES
from tuner.bench.workloads.joins.written_order import joined_order, written_order

TREES = [pytest.param(join_tree(template.paths, TABLES), id=str(template.number)) for template in TEMPLATES]


def test_paths_share_what_they_begin_with() -> None:
    tree = join_tree(("title_company.company.country", "title_company.company_kind"), TABLES)
    assert [(relation.alias, relation.condition, relation.many) for relation in tree[1:]] == [
        ("tc", "tc.title_id = t.id", True),
        ("c", "c.id = tc.company_id", False),
        ("n", "n.id = c.country_id", False),
        ("ck", "ck.id = tc.company_kind_id", False),
    ]


def test_a_link_leads_to_another_title_whose_tables_have_aliases_of_their_own() -> None:
    tree = join_tree(("title_company", "title_link.title.title_company"), TABLES)
    assert [relation.condition for relation in tree[1:]] == [
        "tc.title_id = t.id",
        "tl.title_id = t.id",
        "t2.id = tl.linked_title_id",
        "tc2.title_id = t2.id",
    ]


def test_joins_are_the_same_from_another_root() -> None:
    tree = from_other_root(join_tree(("title_company.company", "title_keyword"), TABLES), "c")
    assert [(relation.alias, relation.to, relation.many) for relation in tree] == [
        ("c", "", False),
        ("t", "tc", False),
        ("tc", "c", True),
        ("tw", "t", True),
    ]
    assert tree[1].condition == "t.id = tc.title_id"


@pytest.mark.parametrize("tree", TREES)
def test_conditions_are_the_same_from_any_root(tree: tuple) -> None:
    expected = {frozenset(relation.condition.split(" = ")) for relation in tree[1:]}
    for relation in tree:
        other = from_other_root(tree, relation.alias)
        assert other[0].alias == relation.alias
        assert {frozenset(one.condition.split(" = ")) for one in other if one.to} == expected
        assert {one.alias for one in other} == {one.alias for one in tree}


@pytest.mark.parametrize("tree", TREES)
def test_spark_joins_each_relation_to_one_before_it(tree: tuple) -> None:
    written = written_order(tree)
    assert [relation.table for relation in written] == sorted(relation.table for relation in tree)
    order = joined_order(written)
    assert order[0] == written[0]
    assert sorted(relation.alias for relation in order) == sorted(relation.alias for relation in tree)
    for prefix in prefixes(tree, order):
        within = {relation.alias for relation in prefix}
        assert all(relation.to in within for relation in prefix if relation.to)
        assert sum(not relation.to for relation in prefix) == 1
    assert len(prefixes(tree, order)[-1]) == len(tree)
