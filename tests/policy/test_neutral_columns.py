"""Which columns may take any values is learned from what their moves did to rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import COMPUTED, FilterCondition
from tuner.model.row_count import BESIDE, SIDE, RowCount
from tuner.policy.latest_executions import LEAST_NIGHTS, MOST_EXECUTIONS, MOST_NIGHTS, Ran
from tuner.policy.neutral_columns import neutral_columns

DAY, TENANT, BATCH = "db.sales.day", "db.sales.tenant", "db.sales.batch"
CORRECTED, LAST = "db.corrections.day", f"{COMPUTED}0123456789abcdef"


def ran(night: int, sales: int, joined: int = 50_000, refunds: int | None = None, **values: str) -> Ran:
    """An execution in a night's run: rows of the filtered relation, of the join (and of another relation below it), and what each
    column was asked for."""
    conditions = tuple(FilterCondition(f"db.sales.{column}", value) for column, value in sorted(values.items()))
    counts = [RowCount("db.sales#0", sales), RowCount("a-join/0", joined)]
    counts += [] if refunds is None else [RowCount("db.refunds#0", refunds)]
    return night, Query(
        night, night, "q", "", 0, 1, QueryStatus.SUCCEEDED, conditions=conditions, row_counts=tuple(counts)
    )


def test_a_day_that_advances_twice_with_stable_rows() -> None:
    nights = [ran(0, 100_000, day="a"), ran(1, 120_000, day="b"), ran(2, 90_000, day="c")]
    assert neutral_columns(nights) == {DAY}
    assert neutral_columns(nights[:2]) == set()


def test_days_of_a_week_may_differ_as_sizes_may_before_a_directive_stops_acting() -> None:
    week = [ran(n, rows, rows // 2, day=str(n)) for n, rows in enumerate([100_000, 110_000, 90_000, 40_000, 30_000])]
    assert neutral_columns(week) == {DAY}
    assert neutral_columns([*week, ran(5, 450_000, 225_000, day="5")]) == set()


def test_a_ten_fold_day_is_seen_in_rows_of_the_relation_or_of_the_join() -> None:
    nights = [ran(n, 100_000, day=str(n)) for n in range(5)]
    assert neutral_columns([*nights, ran(5, 1_000_000, day="5")]) == set()
    assert neutral_columns([*nights, ran(5, 100_000, 40_000_000, day="5")]) == set()


def test_what_was_four_weeks_ago_does_not_count() -> None:
    nights = [ran(n, 100_000 if n < 8 else 1_000_000, day=str(n)) for n in range(8 + MOST_NIGHTS)]
    assert neutral_columns(nights[:16]) == set()
    assert neutral_columns(nights) == {DAY}


def test_the_same_day_again_tells_nothing_new() -> None:
    assert neutral_columns([ran(0, 9_000, day="a"), ran(1, 9_000, day="a"), ran(2, 9_000, day="b")]) == set()


def test_values_of_one_run_or_that_come_back_are_categories_and_have_to_be_many() -> None:
    loop = [ran(0, 100_000, tenant=tenant) for tenant in "abc"]
    assert neutral_columns(loop) == set()
    back = [ran(n, 100_000, tenant=tenant) for n, tenant in enumerate("abcab")]
    assert neutral_columns(back) == set()
    many = [ran(night, 100_000, tenant=tenant) for night in range(2) for tenant in "abcdefgh"]
    assert neutral_columns(many) == {TENANT}


def test_one_large_tenant_keeps_tenants_apart_but_not_their_days() -> None:
    rows = {"small": 20_000, "large": 2_000_000}
    nights = [ran(n, rows[t], rows[t], tenant=t, day=str(n)) for n in range(3) for t in rows]
    assert neutral_columns(nights) == {DAY}


@pytest.mark.parametrize("tenants", [300, 3 * MOST_EXECUTIONS])
def test_days_of_a_loop_over_many_tenants_are_learned_from_the_same_of_them(tenants: int) -> None:
    """One tenant alone tells nothing of another, whatever the order they come in."""
    order = [f"{t * 7919 % tenants:05d}" for t in range(tenants)]
    loop = [
        ran(n, 10 ** (1 + int(t) % 7), tenant=t, day=f"{n}")
        for n in range(6)
        for t in order[n * 97 :] + order[: n * 97]
    ]
    assert neutral_columns(loop) == {DAY}


def test_batches_of_many_a_night_beside_tenants_are_neutral() -> None:
    loop = [
        ran(n, 10 ** (1 + t % 7), tenant=f"{t}", batch=f"{n}-{t}", day=str(n)) for n in range(8) for t in range(300)
    ]
    assert neutral_columns(loop) == {DAY, BATCH}


def test_one_large_tenant_of_many_keeps_them_apart() -> None:
    for large in range(0, 300, 75):
        loop = [ran(n, 10**7 if t == large else 10**4, tenant=str(t), day=str(n)) for n in range(6) for t in range(300)]
        assert neutral_columns(loop) == {DAY}


def test_one_tenant_of_many_whose_days_move_rows_keeps_days_apart() -> None:
    loop = [
        ran(n, 10 ** (4 + (n if t == 217 else t % 3)), tenant=str(t), day=str(n)) for n in range(6) for t in range(300)
    ]
    assert neutral_columns(loop) == set()


@pytest.mark.parametrize("large", [0, 1499])
@pytest.mark.parametrize("rows", [10**2, 10**7])
def test_a_tenant_that_stands_out_is_seen_among_more_than_are_looked_at(large: int, rows: int) -> None:
    tenants = [(f"{t:05d}", rows if t == large else 10**5) for t in range(3 * MOST_EXECUTIONS)]
    loop = [ran(n, rows, tenant=tenant, day=str(n)) for n in range(LEAST_NIGHTS) for tenant, rows in tenants]
    assert neutral_columns(loop) == {DAY}


def test_one_that_stands_out_in_its_region_is_seen_beside_others_of_it() -> None:
    """Though those of other regions come first."""
    tenants = [(f"{t % 10}", f"{t:05d}", 10**7 if t == 1499 else 10**4) for t in range(3 * MOST_EXECUTIONS)]
    loop = [
        ran(n, rows, region=region, tenant=tenant, day=str(n))
        for n in range(LEAST_NIGHTS)
        for region, tenant, rows in tenants
    ]
    assert TENANT not in neutral_columns(loop)


def test_tenants_of_many_zones_are_alike_in_each_though_zones_are_not() -> None:
    """Of a few executions a night each zone has one or two."""
    zones = [(f"{z:02}", 10 ** (4 + 2 * (z % 2))) for z in range(50)]
    loop = [
        ran(n, rows, rows, zone=zone, tenant=f"{t}-{zone}", day=str(n))
        for n in range(LEAST_NIGHTS)
        for zone, rows in zones
        for t in range(10)
    ]
    assert neutral_columns(loop) == {DAY, TENANT}


def test_a_loop_over_many_is_learned_from_its_latest_nights() -> None:
    loop = [ran(n, 10 ** (5 + (n == 1)), day=str(n)) for n in range(LEAST_NIGHTS + 2) for _ in range(MOST_EXECUTIONS)]
    assert neutral_columns(loop) == {DAY}
    assert neutral_columns(loop[:-MOST_EXECUTIONS]) == set()


def test_columns_that_always_move_together_are_neutral_together() -> None:
    assert neutral_columns([ran(n, 70_000, day=f"d{n}", batch=f"b{n}") for n in range(3)]) == {DAY, BATCH}


@pytest.mark.parametrize("tables", [6, 7, 10])
def test_however_many_they_are_as_of_snapshots_of_the_same_day(tables: int) -> None:
    nights = [of_snapshots(n, [f"d{n}"] * tables) for n in range(3)]
    assert neutral_columns(nights) == {f"db.t{t}.ds" for t in range(tables)}
    assert neutral_columns(nights[:2]) == set()
    assert neutral_columns([*nights, of_snapshots(3, ["d3"] * tables, rows=10**7)]) == set()


def test_two_groups_that_move_apart_are_told_apart() -> None:
    """Seven tables are asked for the day, three for one of two plants, whose rows differ."""
    nights = [
        of_snapshots(n, [f"d{n}"] * 7 + [plant] * 3, 10 ** (5 + at)) for n in range(4) for at, plant in enumerate("ab")
    ]
    assert neutral_columns(nights) == {f"db.t{t}.ds" for t in range(7)}


def of_snapshots(night: int, asked: list[str], rows: int = 100_000) -> Ran:
    """An execution that asks each of several tables for one day."""
    _, query = ran(night, rows)
    conditions = tuple(FilterCondition(f"db.t{t}.ds", values) for t, values in enumerate(asked))
    return night, _with(query, conditions, tuple(RowCount(f"db.t{t}#0", rows) for t in range(len(asked))))


def test_what_is_on_no_column_or_without_measured_rows_is_never_neutral() -> None:
    of_nothing = [
        (n, _with(q, (FilterCondition("", str(n)),), q.row_counts)) for n, q in (ran(n, 5_000) for n in range(5))
    ]
    assert neutral_columns(of_nothing) == set()
    unmeasured = [
        (n, _with(q, q.conditions or (), q.row_counts[1:])) for n, q in (ran(n, 5_000, day=str(n)) for n in range(5))
    ]
    assert neutral_columns(unmeasured) == set()


def test_a_union_with_a_branch_beside_the_joins() -> None:
    """Its days move rows of both branches, each counted by itself."""
    assert neutral_columns([of_union(night, 50_000) for night in range(3)]) == {DAY, CORRECTED}
    ten_fold = [of_union(night, 500_000 if night == 1 else 50_000) for night in range(3)]
    assert neutral_columns(ten_fold) == set()


def test_a_relation_that_was_not_counted_before_is_learned_from_the_nights_since() -> None:
    before = [of_union(night, None) for night in range(9)]
    assert neutral_columns(before) == set()
    since = [of_union(night, 50_000) for night in (9, 10, 11)]
    assert neutral_columns([*before, *since[:2]]) == set()
    assert neutral_columns([*before, *since]) == {DAY, CORRECTED}
    assert neutral_columns([*before, of_union(8, None, sales=10_000_000), *since]) == set()
    assert neutral_columns([of_union(0, 50_000), of_union(1, 50_000), of_union(2, None)]) == set()


def test_a_night_without_a_count_hides_no_ten_fold_night_before_it() -> None:
    ten_fold, uncounted = of_union(0, 500_000), of_union(1, None)
    assert neutral_columns([ten_fold, uncounted, *(of_union(night, 50_000) for night in (2, 3, 4))]) == set()


def test_what_no_value_moves_may_be_of_any_size_beside_the_joins() -> None:
    """A nightly delta in a UNION ALL: the day is asked of another relation."""
    delta = [RowCount(f"{BESIDE}db.delta#0", rows) for rows in (0, 20_000, 0, 20_000)]
    nights = [(n, _with(q, q.conditions or (), (*q.row_counts, delta[n]))) for n, q in map(of_day, range(4))]
    assert neutral_columns(nights) == {DAY}


def of_day(night: int) -> Ran:
    return ran(night, 100_000, day=f"d{night}")


def test_what_is_computed_is_neutral_where_all_sides_of_the_joins_are_counted() -> None:
    """Nothing tells which relation it filters."""
    nights = [of_computed(night) for night in range(5)]
    assert neutral_columns(nights) == {DAY, LAST}
    assert neutral_columns([*nights[:4], of_computed(4, joined=40_000_000)]) == set()
    assert neutral_columns([*nights[:4], of_computed(4, side=40_000_000)]) == set(), "whatever the join puts out"
    for left_out in ("a-join", SIDE):
        uncounted = [(n, _with(q, q.conditions or (), without(left_out, q))) for n, q in nights]
        assert neutral_columns(uncounted) == set()
        assert neutral_columns([*uncounted[:2], *nights[2:]]) == {DAY, LAST}, "learned from the nights since"


def test_what_is_computed_is_known_by_nights_of_the_same_joins() -> None:
    """Before and after an order of them their results tell nothing of one another."""
    before, after = [of_computed(n) for n in range(2)], [of_computed(n, 40_000_000, join="b-join") for n in (2, 3, 4)]
    assert neutral_columns([*before, after[0]]) == set()
    assert neutral_columns([*before, *after[:2], of_computed(4)]) == {DAY, LAST}, "without it once more"
    ten_fold = of_computed(2, 40_000_000, join="b-join", side=40_000_000)
    assert neutral_columns([*before, ten_fold, of_computed(3), of_computed(4)]) == set(), (
        "a side is the same in any order"
    )
    assert neutral_columns([*before, *after]) == {DAY, LAST}


def test_several_conditions_on_what_is_computed_under_one_name_are_never_neutral() -> None:
    threshold = FilterCondition(LAST, "five")
    nights = [(n, _with(q, (*(q.conditions or ()), threshold), q.row_counts)) for n, q in map(of_computed, range(5))]
    assert neutral_columns(nights) == set()


def test_that_nothing_was_computed_is_no_value_of_it() -> None:
    """A log alone does not tell of rows in a query's text, and the agent comes along once it has something to do."""
    nights = [(n, _with(q, (), q.row_counts)) for n, q in map(of_computed, range(2))]
    told = [of_computed(n, asked="b" if n == 5 else "a") for n in range(2, 6)]
    told = [(n, _with(q, (q.conditions or ())[1:], q.row_counts)) for n, q in told]
    assert neutral_columns([*nights, *told]) == set()
    assert neutral_columns(
        [*nights, *told, (6, _with(told[0][1], (FilterCondition(LAST, "c"),), told[0][1].row_counts))]
    ) == {LAST}


def test_what_is_computed_may_move_rows_beside_the_joins() -> None:
    delta = [RowCount(f"{BESIDE}db.delta#0", rows) for rows in (0, 20_000, 0, 20_000)]
    nights = [(n, _with(q, q.conditions or (), (*q.row_counts, delta[n]))) for n, q in map(of_computed, range(4))]
    assert neutral_columns(nights) == set()


def of_computed(night: int, joined: int = 50_000, *, side: int = 9_000, join: str = "a-join", asked: str = "") -> Ran:
    _, query = ran(night, 100_000, day=f"d{night}")
    computed = FilterCondition(LAST, asked or f"d{night - 90}")
    sides = (RowCount(f"{SIDE}sales/0", 100_000), RowCount(f"{SIDE}groups/0", side))
    counts = (query.row_counts[0], RowCount(f"{join}/0", joined), *sides)
    return night, _with(query, (*(query.conditions or ()), computed), counts)


def test_rows_that_keys_of_others_have_left_out_are_held_against_one_another() -> None:
    """A filter by key that comes into force leaves a hundredth of the rows, whatever the day."""
    before = [ran(n, 15_000, day=f"d{n}") for n in range(3)]
    for since in (1, 2, 9, MOST_NIGHTS + 9):
        assert neutral_columns([*before, *(by_keys(n, 169, day=f"d{n}") for n in range(3, 3 + since))]) == {DAY}
    held = [by_keys(3, 169, day="d3"), *(ran(n, 15_000, day=f"d{n}") for n in range(4, 8))]
    assert neutral_columns([*before, *held]) == {DAY}
    assert neutral_columns([by_keys(n, 169, day=f"d{n}") for n in range(3)]) == {DAY}
    assert neutral_columns([*before[:2], by_keys(2, 169, day="d2")]) == set(), "two days alone tell of one another"


@pytest.mark.parametrize(
    "large",
    [
        pytest.param((2_000_000, 50_000, 300), id="more rows are left of it"),
        pytest.param((169, 5_000_000, 300), id="its join puts out more"),
        pytest.param((169, 50_000, 900_000), id="another relation has more, which no keys filter"),
    ],
)
def test_days_and_tenants_that_move_rows_are_told_apart_where_keys_filter_as_well(large: tuple[int, int, int]) -> None:
    sales, joined, refunds = large
    before = [ran(n, 15_000, day=f"d{n}", refunds=300) for n in range(3)]
    since = [by_keys(3, 169, day="d3", refunds=300), by_keys(4, sales, joined, day="d4", refunds=refunds)]
    assert neutral_columns([*before, *since]) == set()
    # Only of the large tenant keys filter: what few are left are no more than those of others.
    loop = [ran(n, 15_000, tenant=t, refunds=300) for n in range(9) for t in "abcdefgh"]
    assert neutral_columns(loop) == {TENANT}
    assert neutral_columns([*loop, *(by_keys(n, 169, tenant="i", refunds=300) for n in range(9))]) == {TENANT}
    assert neutral_columns([*loop, *(by_keys(n, sales, joined, tenant="i", refunds=refunds) for n in range(9))]) == (
        set()
    )


def by_keys(night: int, sales: int, joined: int = 50_000, refunds: int | None = None, **values: str) -> Ran:
    """The same of which a bloom filter has left out rows of the filtered relation."""
    _, query = ran(night, sales, joined, refunds, **values)
    return night, replace(query, runtime_filtered=("db.sales",))


def without(start: str, query: Query) -> tuple[RowCount, ...]:
    return tuple(count for count in query.row_counts if not count.part.startswith(start))


def of_union(night: int, corrections: int | None, sales: int = 100_000) -> Ran:
    _, query = ran(night, sales, day=f"d{night}")
    corrected = FilterCondition(CORRECTED, f"d{night}")
    counts = () if corrections is None else (RowCount(f"{BESIDE}db.corrections#0", corrections),)
    return night, _with(query, (*(query.conditions or ()), corrected), (*query.row_counts, *counts))


def _with(query: Query, conditions: tuple[FilterCondition, ...], counts: tuple[RowCount, ...]) -> Query:
    return Query(
        query.id, query.root_id, "q", "", 0, 1, QueryStatus.SUCCEEDED, conditions=conditions, row_counts=counts
    )
