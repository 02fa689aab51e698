"""A query whose values are others in each run is measured over all of them together; what it builds is counted first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.loop.next_decision import BY_AGENT
from tuner.model.decision import DecidedChange, LiteralRung, Mode, Standing
from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import COMPUTED, FilterCondition
from tuner.model.row_count import BESIDE, RowCount
from tuner.model.run import Origin, Run
from tuner.policy.decide import decide
from tuner.policy.fleeting_columns import fleeting_columns
from tuner.policy.known_queries import newest_of_each
from tuner.policy.latest_executions import MOST_EXECUTIONS, Ran
from tuner.policy.ledger import read_ledger
from tuner.policy.literal_classes import literal_classes, with_literal_classes
from tuner.words.literal_rungs import values_words

from .histories import conf, hint, recommend, reorder, run, situation
from .test_known_queries import JOIN

NAME, KIND, NO_COLUMN, LAST = "db.company.name", "db.title.kind", "", f"{COMPUTED}0123456789abcdef"
ORDER, BROADCAST = reorder("q1"), hint("q1")


def ran(night: int, rows: int | None = None, **values: str) -> Ran:
    """An execution of a night: what is asked of each column (`name`, `kind`), and how many rows that leaves: by default up to a
    million times as many as in the night before."""
    rows = 10 ** (2 + 3 * (night % 3)) if rows is None else rows
    columns = {"name": NAME, "kind": KIND, "limit": NO_COLUMN, "last": LAST}
    conditions = tuple(FilterCondition(columns[column], value) for column, value in sorted(values.items()))
    counts = (RowCount("db.company#0", rows),)
    return night, Query(night, night, "q1", "", 0, 1, QueryStatus.SUCCEEDED, conditions=conditions, row_counts=counts)


def fleeting(*executions: Ran, neutral: frozenset[str] = frozenset()) -> set[str]:
    return set(fleeting_columns(executions, neutral))


def test_the_third_night_with_others_tells() -> None:
    nights = [ran(n, name=f"n{n}", kind="film") for n in range(3)]
    assert fleeting(*nights) == {NAME}
    assert fleeting(*nights[:2]) == set()


def test_all_that_ever_moved_are_fleeting_together() -> None:
    kinds = ("film", "film", "short", "series")
    assert fleeting(*(ran(n, name=f"n{n}", kind=kind) for n, kind in enumerate(kinds))) == {NAME, KIND}


def test_a_value_of_many_nights_is_one() -> None:
    """What it had before it began to change does not count against that."""
    nights = [ran(n, name="same") for n in range(9)]
    assert fleeting(*nights, *(ran(9 + n, name=f"n{n}") for n in range(2))) == {NAME}


@pytest.mark.parametrize(
    "names",
    ["abab", "aabb", "abcab", "abcdefabcd"],
    ids=["two in turns", "two", "three that come back", "a week's days"],
)
def test_what_comes_back_is_measured_by_itself(names: str) -> None:
    assert fleeting(*(ran(n, name=name) for n, name in enumerate(names))) == set()


def test_one_that_came_back_by_chance_does_not_end_it() -> None:
    assert fleeting(*(ran(n, name=name) for n, name in enumerate("abcdeafghi"))) == {NAME}


def test_what_came_back_after_a_month_is_not_new() -> None:
    month = [ran(n, name=f"n{n % 30}") for n in range(60)]
    assert fleeting(*month[:30]) == {NAME}
    assert fleeting(*month) == set()


def test_several_in_one_run_are_a_loop() -> None:
    assert fleeting(*(ran(n, name=f"{tenant}{n}") for n in range(5) for tenant in "ab")) == set()


def test_nights_of_one_value_are_told_however_often_they_ask_it() -> None:
    """As the batches of a stream."""
    assert fleeting(*(ran(n, name=f"n{n}") for n in range(9) for _ in range(MOST_EXECUTIONS))) == {NAME}


def test_what_is_asked_of_no_column_cannot_be_left_out() -> None:
    assert fleeting(*(ran(n, name=f"n{n}", limit=f"limit {n}") for n in range(5))) == set()
    assert fleeting(*(ran(n, name=f"n{n}", last=f"d{n}") for n in range(5))) == set()
    unknown = [(night, replace(query, conditions=None)) for night, query in (ran(n, name=str(n)) for n in range(5))]
    assert fleeting(*unknown) == set()


def test_what_is_computed_counts_as_before_it_had_a_name() -> None:
    same = [ran(n, name=f"n{n}", **{"last" if n > 2 else "limit": "d"}) for n in range(5)]
    assert fleeting(*same) == {NAME}


def test_rows_beside_the_joins_tell_nothing_of_it() -> None:
    nights = [ran(n, 1, name=f"n{n}") for n in range(5)]
    delta = [(n, replace(q, row_counts=(*q.row_counts, RowCount(f"{BESIDE}d#0", 10**n)))) for n, q in nights]
    assert fleeting(*delta) == set()


def test_rows_that_keys_of_others_have_left_out_move_nothing() -> None:
    """A filter by key that comes into force leaves a hundredth of the rows."""
    nights = [ran(n, 10**5, name=f"n{n}") for n in range(8)]
    by_keys = [(n, replace(query, runtime_filtered=("db.company",))) for n, query in (ran(n, 10**3) for n in range(8))]
    filtered = [(n, replace(query, conditions=nights[n][1].conditions)) for n, query in by_keys]
    assert fleeting(*nights[:2], filtered[2]) == fleeting(*nights[:4], *filtered[4:]) == set()
    wild = [
        (n, replace(query, runtime_filtered=("db.company",))) for n, query in (ran(n, name=f"n{n}") for n in range(8))
    ]
    assert fleeting(*nights[:2], *wild[2:]) == {NAME}


def test_neutral_columns_are_no_part_of_it() -> None:
    days = [ran(n, name="same", kind=f"k{n}") for n in range(5)]
    assert fleeting(*days, neutral=frozenset({KIND})) == set()
    assert fleeting(*(ran(n, name=f"n{n}", kind=f"k{n}") for n in range(5)), neutral=frozenset({KIND})) == {NAME}


def test_a_few_days_apart_are_no_others_in_each_run() -> None:
    """What the usual days show says nothing of a back-fill."""
    usual = [ran(n, 100_000, name=f"n{n}") for n in range(8)]
    assert fleeting(*usual) == set()
    assert fleeting(*usual[:3], ran(3, 10**7, name="n3"), *usual[4:]) == set()
    assert fleeting(*usual[:4], *(ran(n, 10**7, name=f"n{n}") for n in range(4, 7))) == {NAME}


def test_rows_that_no_run_counted_move_nothing() -> None:
    nights = [(n, replace(query, row_counts=())) for n, query in (ran(n, name=f"n{n}") for n in range(5))]
    assert fleeting(*nights) == set()


# --- Nights of a job ---


def night(number: int, seconds: float, *changes: DecidedChange) -> Run:
    """A night of one query, whose name is another each time."""
    found = run(number, {"q1": seconds}, *changes)
    assert found.outcome is not None
    _, execution = ran(number, name=f"n{number}")
    (query,) = found.outcome.queries
    known = replace(
        query,
        conditions=execution.conditions,
        row_counts=execution.row_counts,
        literals=f"{number:016x}",
        joins=(JOIN,),
        start_ms=number,
    )
    return replace(found, outcome=replace(found.outcome, queries=(known,)))


FIRST = [night(n, seconds) for n, seconds in enumerate((9.0, 11.0, 10.0))]


def nights(several: int, seconds: float, usual: float = 10.0) -> list[Run]:
    """The first ones, and others that are decided on what came before: `seconds` with a change in force, else as usual."""
    runs = list(FIRST)
    for number in range(len(runs), several):
        known = situation(Mode.AUTO, 1, runs, [recommend(ORDER, before=10, after=6, high=9)], drivable=BY_AGENT)
        in_force = decide(known).in_force
        runs.append(night(number, (seconds if in_force else usual) * (1.1 if number % 2 else 0.9), *in_force))
    return runs


def test_all_values_are_one_class_once_it_is_known() -> None:
    for runs, classes in ((FIRST[:2], 2), (FIRST, 1)):
        found = with_literal_classes(runs)
        queries = [query for one in found if one.outcome for query in one.outcome.queries]
        assert len({query.literals for query in queries}) == classes
        assert {query.fleeting for query in queries} == {classes == 1}
    assert literal_classes(FIRST).not_told_by("q1") == {NAME}


def test_mapped_instances_of_one_dag_run_are_a_loop() -> None:
    """Each is a run of its own, with the values of one tenant, which comes back in the next DAG run."""
    mapped = [replace(one, origin=Origin("etl", f"day {n // 3}", "load", n % 3)) for n, one in enumerate(FIRST)]
    assert literal_classes(mapped).fleeting == {}
    assert literal_classes([replace(one, origin=Origin("etl", one.key, "load")) for one in FIRST]).fleeting


def test_an_order_acts_on_any_values_from_then_on() -> None:
    advice = [recommend(ORDER)]
    (early,) = decide(situation(Mode.AUTO, 1, FIRST[:2], advice, drivable=BY_AGENT)).changes
    (late,) = decide(situation(Mode.AUTO, 1, FIRST, advice, drivable=BY_AGENT)).changes
    assert (early.rung, early.fleeting, early.acts_on_any_values) == (LiteralRung.SAME_VALUES, (), False)
    assert (late.rung, late.fleeting, late.acts_on_any_values) == (LiteralRung.FLEETING_VALUES, (NAME,), True)
    assert (
        values_words(late) == "acts on any value of company.name: each run had others; what it builds is counted first"
    )


def test_hints_are_held_but_for_those_that_an_order_calls_for() -> None:
    """By themselves they gained nothing where it was measured."""
    called_for = hint("q1", target="made")
    advice = [recommend(BROADCAST), recommend(ORDER, called_for)]
    found = {d.id: d for d in decide(situation(Mode.AUTO, 1, FIRST, advice, drivable=BY_AGENT)).changes}
    assert found[BROADCAST.id].standing is Standing.HELD and found[BROADCAST.id].literals == ()
    assert "only orders of joins act on any" in values_words(found[BROADCAST.id])
    assert {id_ for id_, d in found.items() if d.is_in_force} == {ORDER.id, called_for.id}


def test_an_order_that_is_to_gain_little_is_held() -> None:
    (found,) = decide(
        situation(Mode.AUTO, 1, FIRST, [recommend(ORDER, before=10, after=8.5)], drivable=BY_AGENT)
    ).changes
    assert found.standing is Standing.HELD


def test_properties_wait_as_before() -> None:
    (found,) = decide(situation(Mode.AUTO, 1, FIRST, [recommend(conf())])).changes
    assert found.standing is Standing.HELD


def test_the_order_of_one_night_is_not_replaced_by_that_of_the_next() -> None:
    """Each night's values would have another; the first is tried until it is told what it does."""
    runs = nights(4, 6.0)
    other = reorder("q1", order="((a b) c)")
    found = {d.id: d for d in decide(situation(Mode.AUTO, 1, runs, [recommend(other)], drivable=BY_AGENT)).changes}
    assert found[ORDER.id].is_in_force and found[other.id].standing is Standing.HELD


def test_a_large_gain_is_promoted() -> None:
    assert read_ledger(with_literal_classes(nights(12, 3.0)))[ORDER.id].standing is Standing.PROMOTED


def test_a_loss_ends_the_trial() -> None:
    runs = nights(8, 20.0)
    in_force = [bool(one.decision.in_force) for one in runs]
    assert in_force[3] and sum(in_force) <= 2
    assert read_ledger(with_literal_classes(runs))[ORDER.id].standing is Standing.ROLLED_BACK


def test_a_night_of_heavy_values_alone_ends_nothing() -> None:
    """Without the change such nights are as slow: half as long again may be the values."""
    usual = [night(n, seconds) for n, seconds in enumerate((6.0, 16.0, 9.0, 14.0, 7.0))]
    known = situation(Mode.AUTO, 1, usual, [recommend(ORDER, before=10, after=6, high=9)], drivable=BY_AGENT)
    runs = [*usual, night(5, 13.0, *decide(known).in_force)]
    (found,) = decide(situation(Mode.AUTO, 1, runs, drivable=BY_AGENT)).in_force
    assert (found.id, found.standing) == (ORDER.id, Standing.TRIAL)


def test_each_nights_values_are_at_hand_for_sizes() -> None:
    newest = newest_of_each(FIRST)
    assert [query.start_ms for query in newest.of_latest] == [0, 1, 2]
