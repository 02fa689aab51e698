"""Executions whose values differ in columns that move no rows are of one class."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.action import Hint
from tuner.model.decision import DecidedChange, LiteralRung, Mode
from tuner.model.query import Query
from tuner.model.query_values import FilterCondition
from tuner.model.row_count import RowCount
from tuner.model.run import Run
from tuner.plan.literals import literal_class
from tuner.policy.decide import decide
from tuner.policy.literal_classes import literal_classes, with_literal_classes
from tuner.policy.measured_values import measured_values

from .histories import decided, hint, recommend, run, situation

HINT = hint("q1")


def night(number: int, *executions: tuple[str, str, int], literals: str = "") -> Run:
    """A run with executions of one query: its tenant, its day, the rows of both."""
    found = run(number, {"q1": 10})
    assert found.outcome is not None
    (query,) = found.outcome.queries
    queries = [
        replace(
            query,
            id=n,
            literals=literals or f"{tenant}-{day}",
            conditions=(FilterCondition("s.day", day), FilterCondition("s.tenant", tenant)),
            row_counts=(RowCount("join/0", rows), RowCount("s#0", rows)),
        )
        for n, (tenant, day, rows) in enumerate(executions)
    ]
    return replace(found, outcome=replace(found.outcome, queries=tuple(queries)))


def classes(runs: list[Run]) -> list[list[str]]:
    return [[q.literals for q in run.outcome.queries] for run in with_literal_classes(runs) if run.outcome]


NIGHTS = [night(n, ("small", f"d{n}", 10_000), ("large", f"d{n}", 900_000)) for n in range(3)]


def test_days_are_one_class_once_they_were_seen_to_move_no_rows() -> None:
    assert len({c for of_run in classes(NIGHTS[:2]) for c in of_run}) == 4
    learned = classes(NIGHTS)
    assert learned[0] == learned[1] == learned[2] and len(set(learned[0])) == 2


def merged(one: Run, times: int) -> Run:
    """With its groups made once: rows are those of several executions' values together."""
    assert one.outcome is not None
    queries = [
        replace(q, merged=True, row_counts=tuple(RowCount(part, times * rows) for part, rows in q.row_counts))
        for q in one.outcome.queries
    ]
    return replace(one, outcome=replace(one.outcome, queries=tuple(queries)))


def test_rows_of_merged_plans_are_held_against_one_another_only() -> None:
    before = [night(n, ("small", f"d{n}", 10_000)) for n in range(3)]
    after = [merged(night(n, ("small", f"d{n}", 10_000)), 6) for n in range(3, 6)]
    for runs in ([*before, after[0]], [*before, *after], after):
        assert len({c for of_run in classes(runs) for c in of_run}) == 1
    wild = [merged(night(n, ("small", f"d{n}", 10_000)), 10 ** (n - 3)) for n in range(3, 6)]
    assert len({c for of_run in classes(wild) for c in of_run}) == 3


def by_keys(one: Run, rows: int) -> Run:
    """With a filter by key in force, which leaves so many rows of the relation, and half of the time."""
    assert one.outcome is not None
    queries = [
        replace(q, duration_ms=5000, runtime_filtered=("s",), row_counts=(q.row_counts[0], RowCount("s#0", rows)))
        for q in one.outcome.queries
    ]
    return replace(one, outcome=replace(one.outcome, queries=tuple(queries)))


def test_a_filter_by_key_that_leaves_few_rows_is_in_force_on_each_new_day() -> None:
    """What it drops is no effect of the day."""
    filter_by_key = hint("q1", value=Hint.FILTER_BY_KEY)
    runs = [night(n, ("small", f"d{n}", 15_000)) for n in range(3)]
    for number in range(3, 12):
        known = situation(Mode.AUTO, 1, runs, [recommend(filter_by_key)])
        (found,) = measured_values(known, decide(known).in_force)
        assert (found.id, found.rung, found.neutral) == (filter_by_key.id, LiteralRung.MOVING_VALUES, ("s.day",))
        ran = by_keys(night(number, ("small", f"d{number}", 15_000)), 169)
        runs.append(replace(ran, decision=replace(ran.decision, changes=(found,))))
    assert literal_classes(runs).fleeting == {}


def test_classes_of_runs_that_have_them_stay() -> None:
    assert with_literal_classes(with_literal_classes(NIGHTS)) == with_literal_classes(NIGHTS)


def test_an_id_of_older_runs_stands_for_the_class_that_has_it_today() -> None:
    now = night(1, ("small", "d1", 10_000), literals="0123")
    old = night(0, ("small", "d0", 10_000), literals="0123")
    assert old.outcome is not None
    queries = tuple(replace(q, conditions=None, row_counts=()) for q in old.outcome.queries)
    old = replace(old, outcome=replace(old.outcome, queries=queries))
    assert classes([old, now]) == [[classes([now])[0][0]]] * 2
    assert classes([old]) == [["0123"]]


@pytest.mark.parametrize("counts", [(), (RowCount("join/0", 0), RowCount("s#0", 0))])
def test_an_hour_without_input_makes_no_column_matter(counts: tuple[RowCount, ...]) -> None:
    """Where AQE leaves a join without rows out nothing is counted: what the other hours showed is known all the same."""
    hours = [night(n, ("small", f"h{n}", 50_000)) for n in range(27)]
    idle = night(9, ("small", "h9", 0))
    assert idle.outcome is not None
    (query,) = idle.outcome.queries
    query = replace(query, input_bytes=0, input_rows=0, row_counts=counts)
    hours[9] = replace(idle, outcome=replace(idle.outcome, queries=(query,)))
    known = literal_classes(hours)
    assert known.neutral == {"q1": frozenset({"s.day"})} and not known.fleeting
    assert len({class_ for of_run in classes(hours) for class_ in of_run}) == 1


def test_where_no_run_reads_files_rows_tell_all_the_same() -> None:
    unread = [replace(one, outcome=replace(one.outcome, queries=_unread(one))) for one in NIGHTS if one.outcome]
    assert literal_classes(unread).neutral == {"q1": frozenset({"s.day"})}


def _unread(one: Run) -> tuple[Query, ...]:
    return tuple(replace(query, input_bytes=0) for query in one.outcome.queries) if one.outcome else ()


def test_a_decision_says_what_it_stands_on() -> None:
    first = measured(NIGHTS[:1])
    assert first.rung is LiteralRung.SAME_VALUES and first.neutral == () and len(first.literals) == 2
    learned = measured(NIGHTS)
    assert learned.rung is LiteralRung.MOVING_VALUES and learned.neutral == ("s.day",)
    assert learned.literals == tuple(
        sorted(
            literal_class((FilterCondition("s.day", ""), FilterCondition("s.tenant", t)), {"s.day"})
            for t in ("small", "large")
        )
    )


def test_classes_that_a_change_is_excluded_from_are_left_out() -> None:
    one, other = measured(NIGHTS).literals
    assert measured(NIGHTS, excluded=(one,)).literals == (other,)


def measured(runs: list[Run], excluded: tuple[str, ...] = ()) -> DecidedChange:
    known = situation(Mode.AUTO, 1, runs, [recommend(HINT)])
    (found,) = measured_values(known, [replace(decided(HINT), excluded=excluded)])
    return found
