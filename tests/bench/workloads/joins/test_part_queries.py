"""Queries that are parts of templates: connected, filtered, each another, and with rows."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

from tests.bench.workloads.made import SEED
from tuner.bench.workloads.joins.part_queries import MOST_OF_TEMPLATE, drawn_parts, part_text
from tuner.bench.workloads.joins.templates import TEMPLATES

PARTS = drawn_parts(SEED)


def test_each_is_another_and_no_template_has_most() -> None:
    assert len(PARTS) > 1000
    assert len({part.shape for part in PARTS}) == len(PARTS)
    of_template = Counter(part.template.number for part in PARTS)
    assert max(of_template.values()) <= MOST_OF_TEMPLATE
    assert len(of_template) == len(TEMPLATES) - 1, "one asks for no more than a part of another"


def test_joins_lead_from_the_root_to_each_filter_and_column() -> None:
    for part in PARTS:
        aliases = [relation.alias for relation in part.tree]
        assert aliases[0] == "t"
        assert all(relation.to in aliases for relation in part.tree[1:])
        assert {of.alias for of in part.template.filters} <= set(aliases)
        assert {column.split(".")[0] for column in part.template.least} <= set(aliases)
        leaves = set(aliases) - {relation.to for relation in part.tree}
        assert leaves <= {of.alias for of in part.template.filters}
    assert (min(len(part.tree) for part in PARTS), median(len(part.tree) for part in PARTS)) == (3, 7)


def test_a_seed_draws_the_order() -> None:
    assert drawn_parts(SEED) == PARTS
    assert drawn_parts(SEED + 1)[:20] != PARTS[:20]


def test_texts_have_rows_and_a_purpose_draws_their_literals(connection: Any) -> None:
    for part in PARTS[:4]:
        tonight, again, tomorrow = (part_text(connection, part, purpose) for purpose in ("1", "1", "2"))
        assert tonight == again != tomorrow
        for text in (tonight, tomorrow):
            *_, rows = connection.execute(text).fetchone()
            assert rows > 0
