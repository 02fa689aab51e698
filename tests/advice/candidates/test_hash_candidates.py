"""What hashing one side saves of a sort merge join."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.candidates.hash_candidates import hash_candidates, hash_evidence
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.model.join_site import JoinSide
from tuner.model.query import Query, ShuffleExchange

CUSTOMERS = side("customer", rows=1_000_000, shuffle_bytes=60_000_000, sort_ms=1_500)
SALES = side("store_sales", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=30_000)


def _hashed_customers(case: Query) -> HintCandidate:
    (found,) = [c for c in hash_candidates(facts(case)) if c.hinted is CUSTOMERS]
    return found


def _sort_seconds(candidate: HintCandidate) -> float:
    evidence = {e.what: e.value for e in hash_evidence(facts(candidate.query), candidate)}
    return evidence["sort time"]


def test_on_a_busy_machine_the_time_a_sort_waited_for_a_cpu_is_not_saved() -> None:
    idle = query(inner(SALES, CUSTOMERS))
    busy = replace(idle, executor_run_ms=100_000, executor_cpu_ms=25_000)
    alone, waiting = map(_hashed_customers, (idle, busy))
    assert _sort_seconds(waiting) == pytest.approx(_sort_seconds(alone) / 4)
    assert alone.saved_seconds - waiting.saved_seconds == pytest.approx(_sort_seconds(alone) * 3 / 4)
    assert waiting.added_seconds == alone.added_seconds


def test_a_side_that_was_sorted_already_saves_nothing() -> None:
    sorted_below = replace(SALES, sort_ms=None)
    whole, less = (_hashed_customers(query(inner(sales, CUSTOMERS))) for sales in (SALES, sorted_below))
    assert _sort_seconds(less) == pytest.approx(0.75)
    assert less.gain < whole.gain - 15


def test_a_merge_join_above_that_relied_on_the_order_sorts_anew() -> None:
    below = inner(SALES, CUSTOMERS)
    both = side("store_sales", "customer", rows=20_000_000)
    above = inner(both, side("returns", rows=1_000_000, shuffle_bytes=10**7, sort_ms=900))
    alone, relied = _hashed_customers(query(below)), _hashed_customers(query(below, above))
    assert relied.added_seconds > alone.added_seconds + 3


def test_a_join_of_which_nothing_tells_what_relies_on_its_order_keeps_it() -> None:
    join = inner(SALES, CUSTOMERS)
    shuffle = ShuffleExchange(2000, CUSTOMERS.shuffle_bytes, 640 << 20, CUSTOMERS.rows, 2, True)
    placed, elsewhere = (query(replace(join, placed=known), shuffles=(shuffle,)) for known in (True, False))
    assert not _hashed_customers(placed).is_vetoed
    assert _hashed_customers(elsewhere).is_vetoed


def test_of_an_execution_that_skipped_its_shuffles_nothing_is_said() -> None:
    skipped = inner(*(JoinSide(found.relations, skipped=True) for found in (SALES, CUSTOMERS)))
    assert not list(hash_candidates(facts(query(skipped))))


def test_what_ran_twice_is_saved_and_added_twice() -> None:
    """A range partitioning above samples what the join puts out."""
    once = inner(SALES, CUSTOMERS)
    one, both = (_hashed_customers(query(replace(once, runs=runs))) for runs in (1, 2))
    assert (both.saved_seconds, both.added_seconds) == pytest.approx((2 * one.saved_seconds, 2 * one.added_seconds))
    assert _sort_seconds(both) == pytest.approx(2 * _sort_seconds(one))


def test_a_side_in_so_many_partitions_that_nobody_knows_the_largest_is_hashed_only_where_a_task_has_room_for_all() -> (
    None
):
    def is_vetoed(partitions: int, rows: int) -> bool:
        build = replace(CUSTOMERS, rows=rows, shuffle_bytes=60 * rows)
        shuffle = ShuffleExchange(partitions, build.shuffle_bytes, 640 << 20, rows, 2, True)
        (found,) = [
            c for c in hash_candidates(facts(query(inner(SALES, build), shuffles=(shuffle,)))) if c.hinted is build
        ]
        return found.is_vetoed

    assert [is_vetoed(partitions, 1_000_000) for partitions in (2000, 2001)] == [False, True]
    assert not is_vetoed(2001, 100_000)
