"""The 113 queries: how many joins they have, that they hit, and what a seed changes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from tests.bench.workloads.joins.test_catalogue import TITLES, one
from tests.bench.workloads.made import SCALE_FACTOR, SEED
from tests.conftest import AT_LENGTH
from tuner.bench.workloads.joins.catalogue import make_catalogue
from tuner.bench.workloads.joins.drawn_queries import (
    MOST_ROWS_PER_TITLE,
    DrawnQuery,
    drawn_queries,
    drawn_query,
    numbered_templates,
    query_names,
    query_text,
)
from tuner.bench.workloads.joins.join_size import join_rows
from tuner.bench.workloads.joins.join_tree import Relation, join_tree
from tuner.bench.workloads.joins.schema import TABLES
from tuner.bench.workloads.joins.template import Template
from tuner.bench.workloads.joins.templates import TEMPLATES
from tuner.bench.workloads.parquet_views import parquet_views

# One of every other template, of each at night: there all of them have a test of their own, too.
FIRST = [name for name in query_names() if name.endswith("a")][:: 1 if AT_LENGTH else 2]


Drawn = Mapping[str, tuple[Template, Sequence[Relation], DrawnQuery]]


@pytest.fixture(scope="module")
def drawn(connection: Any) -> Drawn:
    found = {}
    for name, template in numbered_templates():
        if name in FIRST:
            tree = join_tree(template.paths, TABLES)
            found[name] = template, tree, drawn_query(connection, template, tree, f"{name}/{SEED}")
    return found


@pytest.fixture(scope="module")
def texts(drawn: Drawn) -> Mapping[str, str]:
    return {name: query_text(template, tree, query.filters) for name, (template, tree, query) in drawn.items()}


def test_templates_make_113_queries_of_3_to_16_joins() -> None:
    assert len(query_names()) == len(set(query_names())) == 113
    joins = [len(join_tree(template.paths, TABLES)) - 1 for _, template in numbered_templates()]
    assert (min(joins), max(joins)) == (3, 16)
    assert mean(joins) == pytest.approx(7.6, abs=0.1)
    assert Counter("few" if count < 6 else "some" if count < 10 else "many" for count in joins) == {
        "few": 25,
        "some": 58,
        "many": 30,
    }


def test_templates_name_what_is_there() -> None:
    for template in TEMPLATES:
        tables = {relation.alias: relation.table for relation in join_tree(template.paths, TABLES)}
        named = [(of.alias, of.column) for of in template.filters]
        for alias, column in (*named, *(column.split(".") for column in template.least)):
            assert column in TABLES[tables[alias]].written, template.number
        assert len(named) == len(set(named))


def test_most_tables_are_joined_by_some_query() -> None:
    used = {relation.table for template in TEMPLATES for relation in join_tree(template.paths, TABLES)}
    assert TABLES.keys() - used == {"region"}


@pytest.mark.nightly
def test_every_template_has_rows_as_many_as_were_counted(
    drawn: Drawn, texts: Mapping[str, str], connection: Any
) -> None:
    rows = check_rows(texts, connection)
    assert rows == {name: join_rows(connection, tree, query.filters) for name, (_, tree, query) in drawn.items()}


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [SEED, 2, 3])
def test_every_query_has_rows(tmp_path: Path, catalogue: Path, seed: int) -> None:
    make_catalogue(tmp_path, SCALE_FACTOR, seed)
    found = drawn_queries(tmp_path, seed, query_names())
    assert len(found) == len(set(found.values())) == 113
    with parquet_views(tmp_path, seed) as tables:
        check_rows(found, tables)
    if seed == SEED:
        assert found == drawn_queries(catalogue, seed, query_names())


def check_rows(texts: Mapping[str, str], connection: Any) -> Mapping[str, int]:
    found = {}
    for name, text in texts.items():
        *least, found[name] = connection.execute(text).fetchone()
        assert found[name] > 0, name
        assert None not in least, name
    return found


def test_texts_are_kept_and_drawn_the_same_again(texts: Mapping[str, str], tmp_path: Path) -> None:
    some = ["q01a", "q13a"]
    make_catalogue(tmp_path, SCALE_FACTOR, SEED)
    assert drawn_queries(tmp_path, SEED, some) == {name: texts[name] for name in some}
    kept = tmp_path / f"_queries-seed{SEED}.json"
    kept.write_text(kept.read_text().replace("COUNT(*)", "COUNT( * )"))
    assert drawn_queries(tmp_path, SEED, ["q01a"])["q01a"] == texts["q01a"].replace("COUNT(*)", "COUNT( * )")


def test_another_seed_draws_other_literals(texts: Mapping[str, str], catalogue: Path, tmp_path: Path) -> None:
    some = ["q03a", "q13a", "q23a"]
    make_catalogue(tmp_path, SCALE_FACTOR, 2)
    for found in (drawn_queries(tmp_path, 2, some), drawn_queries(catalogue, 2, some)):
        assert all(found[name] != texts[name] for name in some)
        assert all(_from(found[name]) == _from(texts[name]) for name in some)


def test_variants_differ_in_literals(catalogue: Path) -> None:
    assert len(set(drawn_queries(catalogue, SEED, ["q06a", "q06b", "q06c"]).values())) == 3


def _from(text: str) -> str:
    return text[text.index("FROM") : text.index("WHERE")]


def test_from_clauses_are_in_the_order_of_names(texts: Mapping[str, str]) -> None:
    for text in texts.values():
        tables = re.findall(r"(\w+) AS \w+,?\n", _from(text))
        assert tables == sorted(tables)
        assert len(tables) >= 4


def test_no_join_as_written_makes_too_many_rows(drawn: Drawn) -> None:
    assert max(query.most_rows for _, _, query in drawn.values()) <= 2 * MOST_ROWS_PER_TITLE * TITLES
    assert sum(query.most_rows > MOST_ROWS_PER_TITLE * TITLES for _, _, query in drawn.values()) <= 3


def test_independence_is_wrong_by_orders_of_magnitude(drawn: Drawn, connection: Any) -> None:
    """As in Leis et al., figure 3: with the true selectivity of each table's own filters, estimates fall behind, the more so the
    more joins there are."""
    behind = {
        name: join_rows(connection, tree, query.filters) / estimated_rows(connection, tree, query.filters)
        for name, (_, tree, query) in drawn.items()
    }
    few = [math.log10(behind[name]) for name, (_, tree, _) in drawn.items() if len(tree) <= 7]
    many = [math.log10(behind[name]) for name, (_, tree, _) in drawn.items() if len(tree) > 9]
    assert median(many) > median(few) + 1
    assert median(many) > 2
    assert sum(ratio > 1000 for ratio in behind.values()) >= len(behind) * 0.3


def estimated_rows(connection: Any, tree: Sequence[Relation], filters: Mapping[str, Sequence[str]]) -> float:
    """Rows after each table's filters, multiplied, over the larger number of keys of each join: P. Selinger et al. 1979."""
    rows = math.prod(
        one(
            connection,
            f"SELECT count(*) FROM {relation.table} AS {relation.alias} "
            f"WHERE {' AND '.join(filters.get(relation.alias, ())) or 'TRUE'}",
        )
        for relation in tree
    )
    tables = {relation.alias: relation.table for relation in tree}
    for relation in tree[1:]:
        rows /= max(
            one(connection, f"SELECT count(DISTINCT {column}) FROM {table}")
            for column, table in ((relation.column, relation.table), (relation.to_column, tables[relation.to]))
        )
    return float(rows)
