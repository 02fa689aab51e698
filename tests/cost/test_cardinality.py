"""Sizes of sets of relations: as measured, from what was measured, or as assumed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.cost.cardinality import Basis, Cardinality
from tuner.model.join_graph import Condition, GraphRelation, JoinGraph, MeasuredJoin, Predicate, RelationKind

FACT, ITEM, DAY, WEEK = range(4)


def relation(name: str, rows: int | None, scanned: int | None = None, *, filtered: bool = False) -> GraphRelation:
    return GraphRelation(name, (name,), RelationKind.SCAN, rows, 24, scanned or rows, runtime_filtered=filtered)


def graph(
    relations: list[GraphRelation],
    predicates: list[tuple[int, int, str]],
    measured: dict[tuple[int, ...], int],
    conditions: tuple[Condition, ...] = (),
) -> JoinGraph:
    """Predicates join the columns of one name of two relations, which are given by their numbers."""
    names = [r.label for r in relations]
    return JoinGraph(
        "block",
        tuple(relations),
        tuple(Predicate(1 << a, 1 << b, f"{names[a]}.{key}", f"{names[b]}.{key}") for a, b, key in predicates),
        conditions,
        {of(*members): MeasuredJoin(rows) for members, rows in measured.items()},
        0,
    )


def of(*relations: int) -> int:
    return sum(1 << r for r in relations)


# A fact table of a million rows, 20 of 200 items, a day in ten of 1,000.
RELATIONS = [relation("fact", 1_000_000), relation("item", 20, 200), relation("day", 100, 1000)]
PREDICATES = [(FACT, ITEM, "i"), (FACT, DAY, "d")]


def test_what_was_measured_is_told_as_it_was() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {(FACT, ITEM): 99_000}))
    assert sizes.estimate(of(FACT, ITEM)).basis is Basis.MEASURED
    assert sizes.size(of(FACT, ITEM)).rows == 99_000
    assert (sizes.size(of(ITEM)).rows, sizes.estimate(of(ITEM)).basis) == (20, Basis.MEASURED)


def test_without_measurements_the_smaller_side_is_taken_for_a_key() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {}))
    assert sizes.size(of(FACT, ITEM)).rows == pytest.approx(1_000_000 * 20 / 200)
    assert sizes.size(of(FACT, ITEM, DAY)).rows == pytest.approx(1_000_000 * 20 / 200 * 100 / 1000)
    assert sizes.estimate(of(FACT, ITEM)).basis is Basis.ASSUMED


def test_without_measurements_counted_values_tell_better_than_sizes() -> None:
    distinct = {"fact.i": 5_000, "item.i": 200}
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {}), distinct)
    assert sizes.size(of(FACT, ITEM)).rows == pytest.approx(1_000_000 * 20 / 5_000)
    assert sizes.estimate(of(FACT, ITEM)).basis is Basis.DERIVED
    # Of the other equality nothing is counted.
    assert sizes.size(of(FACT, DAY)).rows == pytest.approx(1_000_000 * 100 / 1000)
    assert sizes.estimate(of(FACT, DAY)).basis is Basis.ASSUMED


@pytest.mark.parametrize("one_side", [{}, {"item.i": 7}, {"fact.i": 0, "item.i": 7}])
def test_values_counted_on_one_side_change_nothing(one_side: dict[str, int]) -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {}), one_side)
    assert sizes.size(of(FACT, ITEM)).rows == pytest.approx(1_000_000 * 20 / 200)


def test_of_several_equalities_the_most_selective_counts() -> None:
    distinct = {"fact.i": 50, "item.i": 200, "fact.j": 30, "item.j": 10, "fact.k": 9, "day.k": 9}
    predicates = [(FACT, ITEM, "i"), (FACT, ITEM, "j")]
    sizes = Cardinality(graph(RELATIONS[:2], predicates, {}), distinct)
    assert sizes.size(of(FACT, ITEM)).rows == pytest.approx(1_000_000 * 20 / 200)
    assert sizes.estimate(of(FACT, ITEM)).basis is Basis.ASSUMED


def test_measurements_tell_better_than_counted_values() -> None:
    distinct = {"fact.i": 5_000, "item.i": 200}
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {(FACT, ITEM): 99_000}), distinct)
    assert sizes.size(of(FACT, ITEM)).rows == 99_000
    assert sizes.selectivity(of(FACT, ITEM)) == pytest.approx(99_000 / 20_000_000, rel=0.01)


def test_a_join_that_never_ran_follows_from_the_ones_that_did() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {(FACT, ITEM): 50_000, (FACT, ITEM, DAY): 1_000}))
    assert sizes.size(of(FACT, DAY)).rows == pytest.approx(1_000_000 * 1_000 / 50_000, rel=0.01)
    assert sizes.estimate(of(FACT, DAY)).basis is Basis.DERIVED


def test_a_larger_set_starts_from_the_largest_measured_one_in_it() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {(FACT, ITEM): 7}))
    assert sizes.size(of(FACT, ITEM, DAY)).rows == pytest.approx(7 * 100 / 1000)
    assert sizes.estimate(of(FACT, ITEM, DAY)).basis is Basis.ASSUMED


def test_of_two_predicates_measured_together_the_one_on_a_key_takes_its_share() -> None:
    """TPC-DS 72: inventory meets a date by its key, and the date a week of the year by no key."""
    relations = [relation("inv", 10_000), relation("d1", 365, 73_000), relation("d2", 73_000)]
    predicates = [(0, 2, "date"), (1, 2, "week")]
    sales = relation("sales", 50_000)
    found = graph(
        [*relations, sales],
        [*predicates, (3, 1, "x"), (3, 2, "date")],
        # That d2.date is a key shows where sales meet it.
        {(2, 3): 50_000, (0, 3): 10_000 * 50_000, (0, 1, 3): 10_000 * 50_000, (0, 1, 2, 3): 500_000},
    )
    sizes = Cardinality(found)
    assert sizes.selectivity(of(0, 2)) == pytest.approx(1 / 73_000, rel=0.2)


def test_the_few_rows_that_come_out_of_many_made_of_each_tell_little_of_a_key() -> None:
    """As in a join of casts, keywords and companies by film, of which the country, the kind and the keyword come last: 12 of
    25,000 companies kept 15 of 116 million rows, and keep 93 of 274,331 of the relation."""
    relations = [relation("cast", 371_901, 1_750_000), relation("words", 525_000), relation("companies", 274_331)]
    relations += [relation("company", 12, 25_000), relation("kind", 1, 113), relation("word", 111, 20_000)]
    predicates = [(0, 1, "film"), (0, 2, "film"), (2, 3, "company"), (2, 4, "kind"), (1, 5, "word")]
    measured = {(0, 1): 1_390_451, (0, 1, 2): 116_343_190, (0, 1, 2, 3): 15, (0, 1, 2, 3, 4): 15, (0, 1, 2, 3, 4, 5): 0}
    sizes = Cardinality(graph(relations, predicates, measured))
    assert 93 / 2 < sizes.size(of(2, 3)).rows < 93 * 2
    assert 2_241 / 2 < sizes.size(of(1, 5)).rows < 2_241 * 2
    assert {sizes.estimate(of(*pair)).basis for pair in ((2, 3), (2, 4), (1, 5))} == {Basis.ASSUMED}
    # Of what made many rows itself all of them tell.
    assert sizes.size(of(0, 2)).rows == pytest.approx(371_901 * 116_343_190 / 1_390_451, rel=0.01)
    assert sizes.estimate(of(0, 2)).basis is Basis.DERIVED


def test_several_columns_together_are_the_key_of_the_larger_side() -> None:
    relations = [relation("sales", 1_000_000), relation("returns", 50_000)]
    sizes = Cardinality(graph(relations, [(0, 1, "ticket"), (0, 1, "item")], {}))
    assert sizes.size(of(0, 1)).rows == pytest.approx(50_000)


def test_a_range_condition_keeps_a_third() -> None:
    relations = [relation("a", 300), relation("b", 100)]
    sizes = Cardinality(graph(relations, [(0, 1, "k")], {}, (Condition(0b11, "v < w"),)))
    assert sizes.size(of(0, 1)).rows == pytest.approx(300 * 100 / 100 / 3)


def test_relations_without_a_predicate_between_them_multiply() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {}))
    assert sizes.size(of(ITEM, DAY)).rows == pytest.approx(20 * 100)


def test_rows_of_a_relation_that_nothing_counted_follow_from_its_join() -> None:
    relations = [relation("fact", 1_000_000), relation("unknown", None)]
    key = graph(relations, [(0, 1, "k")], {(0, 1): 5_000})
    sizes = Cardinality(key)
    assert sizes.size(of(0, 1)).rows == 5_000
    assert sizes.estimate(of(1)).basis is Basis.ASSUMED  # rows and selectivity are not told apart by one join


def test_what_runtime_filters_reduced_is_no_measurement_of_the_relation() -> None:
    relations = [relation("fact", 1_000, 1_000_000, filtered=True), relation("day", 1, 1_000)]
    assert Cardinality(graph(relations, [(0, 1, "d")], {})).estimate(of(0)).basis is Basis.DERIVED


def test_an_empty_join_makes_what_contains_it_empty() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {(FACT, ITEM): 0}))
    assert sizes.size(of(FACT, ITEM, DAY)).rows == 0


def test_bytes_are_rows_times_the_columns_of_all() -> None:
    sizes = Cardinality(graph(RELATIONS, PREDICATES, {(FACT, ITEM): 10}))
    assert sizes.size(of(FACT, ITEM)).bytes == 10 * (24 + 24 - 8)


@given(
    rows=st.lists(st.integers(0, 10**9), min_size=5, max_size=5),
    measured=st.dictionaries(st.sampled_from([0b11, 0b110, 0b111, 0b1111, 0b11111, 0b1100]), st.integers(0, 10**12)),
    unknown=st.sets(st.integers(0, 4)),
)
def test_every_set_has_a_finite_size_and_measured_sets_their_own(
    rows: list[int], measured: dict[int, int], unknown: set[int]
) -> None:
    relations = [relation(str(i), None if i in unknown else n) for i, n in enumerate(rows)]
    chain = [(i, i + 1, "k") for i in range(4)]
    block = graph(relations, chain, {tuple(i for i in range(5) if s >> i & 1): n for s, n in measured.items()})
    sizes = Cardinality(block)
    for relation_set in range(1, 1 << 5):
        size = sizes.size(relation_set)
        assert math.isfinite(size.rows)
        assert math.isfinite(size.bytes)
        assert size.rows >= 0
    assert {s: sizes.size(s).rows for s in measured} == measured
