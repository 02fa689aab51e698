"""A run without the agent tells nothing of a filter on partitions that its source took over; it is compared all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.decision import Mode
from tuner.model.query_values import FilterCondition
from tuner.model.row_count import BESIDE, RowCount
from tuner.model.run import Run
from tuner.policy.decide import decide
from tuner.policy.literal_classes import literal_classes, with_literal_classes

from .histories import GB, hint, in_force, recommend, run, situation

DAY, KIND, LIMIT = "s.day", "i.kind", ""
ROWS = (RowCount("i#0", 50), RowCount("join/0", 10_000), RowCount("s#0", 10_000))


def conditions(day: str = "", kind: str = "", limit: str = "") -> tuple[FilterCondition, ...]:
    told = ((LIMIT, limit), (KIND, kind), (DAY, day))
    return tuple(FilterCondition(columns, value) for columns, value in told if value)


def asking(
    found: Run, *, agent: bool, rows: tuple[RowCount, ...] = ROWS, day: str = "", kind: str = "", limit: str = ""
) -> Run:
    """The run, whose query asks for these values; the log tells nothing of the day."""
    assert found.outcome is not None
    logged, all_of_them = conditions(kind=kind, limit=limit), conditions(day, kind, limit)
    told = {"conditions": all_of_them, "logged_conditions": logged} if agent else {"conditions": logged}
    queries = tuple(replace(q, row_counts=rows, **told) for q in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=queries))


def told_by_log(number: int, day: str = "d", kind: str = "", limit: str = "") -> Run:
    return asking(run(number, {"q1": 10}), agent=False, day=day, kind=kind, limit=limit)


def told_by_agent(number: int, day: str = "d", kind: str = "", limit: str = "") -> Run:
    return asking(run(number, {"q1": 10}), agent=True, day=day, kind=kind, limit=limit)


def classes(*runs: Run) -> list[str]:
    return [query.literals for one in with_literal_classes(runs) if one.outcome for query in one.outcome.queries]


def large(times: int) -> tuple[RowCount, ...]:
    return tuple(RowCount(part, times * rows) for part, rows in ROWS)


def test_what_a_log_tells_alone_is_of_the_class_of_runs_whose_logs_tell_the_same() -> None:
    alone, with_it, of_other_kind = classes(
        told_by_log(0, kind="7"), told_by_agent(1, kind="7"), told_by_agent(2, kind="8")
    )
    assert alone == with_it != of_other_kind


def test_a_log_that_tells_no_condition_is_of_the_only_class_there_is() -> None:
    alone, with_it = classes(told_by_log(0), told_by_agent(1))
    assert alone == with_it


def test_where_such_runs_are_of_several_classes_it_is_of_none_of_them() -> None:
    few, many = ROWS, large(90)
    nights = [asking(run(n, {"q1": 10}), agent=n > 0, rows=many if n == 2 else few, day=f"d{n}") for n in range(3)]
    assert len(set(classes(*nights))) == 3


def test_where_it_kept_far_more_rows_it_is_of_other_values() -> None:
    of_a_large_tenant = asking(run(0, {"q1": 10}), agent=False, rows=large(90), kind="7")
    assert len(set(classes(of_a_large_tenant, told_by_agent(1, kind="7")))) == 2


def test_rows_beside_the_joins_keep_it_from_none() -> None:
    nights = [(*ROWS, RowCount(f"{BESIDE}delta#0", rows)) for rows in (0, 10**6)]
    alone, with_it = (asking(run(n, {"q1": 10}), agent=n > 0, rows=rows, kind="7") for n, rows in enumerate(nights))
    assert len(set(classes(alone, with_it))) == 1


@pytest.mark.parametrize(("size", "number"), [(GB, 1), (90 * GB, 2)])
def test_without_joins_it_is_of_other_values_where_it_read_far_more(size: int, number: int) -> None:
    alone = asking(run(0, {"q1": 10}, input_bytes=size), agent=False, rows=())
    with_it = asking(run(1, {"q1": 10}), agent=True, rows=(), day="d")
    assert len(set(classes(alone, with_it))) == number


def test_a_class_that_the_agent_has_seen_stands_for_itself() -> None:
    """No filter on a day one night; and one night the first rows alone, by a plan that is called the same."""
    nights = [told_by_agent(n, day="", kind="7") for n in range(3)]
    found = classes(*nights, told_by_log(3, day="", kind="7"), told_by_agent(4, kind="7"))
    assert len(set(found[:4])) == 1 and found[4] != found[0]
    found = classes(*nights, told_by_agent(3, day="", kind="7", limit="1000"), told_by_log(4, day="", kind="7"))
    assert len({*found[:3], found[4]}) == 1 and found[3] != found[0]


def test_one_night_of_more_conditions_makes_nobody_forget_which_columns_move_no_rows() -> None:
    nights = [asking(run(n, {"q1": 10}), agent=True, kind=f"batch {n}") for n in range(6)]
    known = literal_classes([*nights, told_by_agent(6, kind="batch 6", limit="1000"), told_by_agent(7, kind="batch 7")])
    assert known.not_told_by("q1") == {KIND}


@pytest.mark.parametrize(
    "times", [1, 10], ids=["columns that move no rows", "columns whose values are others each night"]
)
def test_runs_without_the_agent_do_not_keep_columns_from_being_known(times: int) -> None:
    nights = []
    for number in range(12):
        rows = large(times if number % 3 else 1)
        one = run(number, {"q1": 10})
        nights.append(asking(one, agent=number % 4 > 0, rows=rows, day=f"d{number}", kind="7"))
    assert literal_classes(nights).not_told_by("q1") == {DAY}
    assert len(set(classes(*nights))) == 1


@pytest.mark.parametrize("factor", [0.6, 1.8])
def test_a_change_is_judged_by_runs_whose_logs_tell_less(factor: float) -> None:
    action = hint("q1")
    runs: list[Run] = []
    for number in range(8):
        # As next_decision does it.
        decision = decide(situation(Mode.AUTO, 1, with_literal_classes(runs), [recommend(action)]))
        is_on = action.id in in_force(decision)
        took = {"q1": 20.0 * (factor if is_on else 1.0), "q2": 15.0}
        runs.append(asking(run(number, took, *decision.changes), agent=is_on, day="d", kind="7"))
    nights = [number for number, one in enumerate(runs) if action.id in in_force(one.decision)]
    assert nights == (list(range(1, 8)) if factor < 1 else [1])
