"""What hangs on the place of a join in its plan: the tasks that ran it, and what else relies on its shuffles."""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent

import msgspec
import pytest

from tests.advice.insights.plans import RUN_MS, TASKS, stage_of
from tests.advice.insights.plans import facts as measured
from tuner.model.join_site import JoinSite, Reshuffle, WrittenFiles
from tuner.plan.joins import find_joins
from tuner.plan.joins_in_place import joins_in_place
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode

from .trees import plan

LOWEST = """\
SortMergeJoin | [k#1], [u#3], Inner | number of output rows=900
  Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=8000; shuffle records written=1000
    Scan parquet t.events | [k#1,n#2] | number of output rows=1000
  Exchange | hashpartitioning(u#3, 8), ENSURE_REQUIREMENTS | data size=800; shuffle records written=100
    Scan parquet t.users | [u#3] | number of output rows=100
"""
ACCOUNTS = """\
Exchange | hashpartitioning(a#4, 8), ENSURE_REQUIREMENTS | data size=400; shuffle records written=50
  Scan parquet t.accounts | [a#4] | number of output rows=50
"""


def _joins(root: PlanNode) -> dict[str, JoinSite]:
    """The joins of a plan, by the relation on their right side."""
    found = joins_in_place(MeasuredPlan(root, ()), find_joins(root, finished=True))
    return {join.right.relations[0]: join for join in found}


def _below(*operators: str) -> str:
    """The join of events and users below operators, the topmost first."""
    text = LOWEST
    for operator in reversed(operators):
        text = f"{operator}\n{indent(text, '  ')}"
    return text


SORT = "Sort | [k#1 ASC NULLS FIRST], false, 0"
PARTIAL = "HashAggregate | (keys=[k#1], functions=[partial_count(1)]) | number of output rows=300"
FINAL = "HashAggregate | (keys=[k#1], functions=[count(1)]) | number of output rows=300"
EXCHANGE = "Exchange | hashpartitioning(n#2, 8), ENSURE_REQUIREMENTS | data size=7200; shuffle records written=900"
COMET = "CometColumnarExchange | hashpartitioning(n#2, 8), ENSURE_REQUIREMENTS, CometColumnarShuffle, [plan_id=3]"
FILTER = "Filter | (n#2 > 1) | number of output rows=20"
LIMIT = "WindowGroupLimit | [n#2], [k#1 ASC NULLS FIRST], rank(k#1), 9, {}"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        pytest.param([], None, id="nothing above"),
        pytest.param([FINAL, PARTIAL], Reshuffle(900, sorts=False), id="groups by its key"),
        pytest.param([FINAL, PARTIAL, FILTER], Reshuffle(20, sorts=False), id="few rows reach the groups"),
        pytest.param([FINAL, EXCHANGE, PARTIAL], None, id="groups that are shuffled"),
        pytest.param([FINAL, COMET], None, id="groups that another engine shuffles"),
        pytest.param(["Window | [rank(n#2)], [k#1], [n#2 ASC]", SORT], Reshuffle(900, sorts=False), id="sorted anew"),
        pytest.param(["Window | [sum(n#2)], [k#1]", "Project | [k#1]"], Reshuffle(900, sorts=True), id="in its order"),
        pytest.param([EXCHANGE, LIMIT.format("Partial")], None, id="a limit before a shuffle"),
        pytest.param([LIMIT.format("Final")], Reshuffle(900, sorts=True), id="a limit without one"),
    ],
)
def test_what_an_operator_above_would_shuffle_itself(above: list[str], expected: Reshuffle | None) -> None:
    assert _joins(plan(_below(*above)))["t.users"].reshuffle == expected


WRITE = "Execute InsertIntoHadoopFsRelationCommand | file:/t | number of written files=600; written output=6000000"
WRITTEN = WrittenFiles(files=600, bytes=6_000_000)


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        pytest.param([WRITE, "WriteFiles |", SORT], WRITTEN, id="its tasks write"),
        pytest.param([WRITE, EXCHANGE], None, id="those behind a shuffle write"),
        pytest.param([SORT], None, id="nothing is written"),
    ],
)
def test_the_files_that_its_stage_wrote(above: list[str], expected: WrittenFiles | None) -> None:
    assert _joins(plan(_below(*above)))["t.users"].written == expected


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        pytest.param([WRITE, "WriteFiles |", "Coalesce | 8", "Project | [k#1]"], 8, id="of its stage"),
        pytest.param(["Coalesce | "], 1, id="a number that is not told"),
        pytest.param([WRITE, "Coalesce | 8", EXCHANGE], None, id="of a stage behind a shuffle"),
        pytest.param(["Coalesce | 8", COMET], None, id="of a stage behind another engine's shuffle"),
        pytest.param(["AQEShuffleRead | coalesced", SORT], None, id="what AQE coalesces is no operator"),
    ],
)
def test_the_tasks_that_its_stage_is_coalesced_to(above: list[str], expected: int | None) -> None:
    assert _joins(plan(_below(*above)))["t.users"].coalesced_to == expected


def test_what_groups_the_rows_of_one_task_shuffles_none_of_them() -> None:
    join = _joins(plan(_below(FINAL, PARTIAL, "Coalesce | 1")))["t.users"]
    assert (join.coalesced_to, join.reshuffle) == (1, None)


TWO_KEYS_ALIKE = f"""\
SortMergeJoin | [k#1], [a#4], Inner | number of output rows=700
  Project | [k#1]
    BroadcastHashJoin | [n#2], [d#5], Inner, BuildRight | number of output rows=800
{indent(LOWEST, "      ")}
      BroadcastExchange | HashedRelationBroadcastMode(List(d#5)) | data size=100; number of output rows=10
        Scan parquet t.days | [d#5] | number of output rows=10
  Sort | [a#4 ASC NULLS FIRST], false, 0
{indent(ACCOUNTS, "    ")}
"""


def test_a_join_above_reads_it_as_it_comes_past_a_broadcast() -> None:
    found = _joins(plan(TWO_KEYS_ALIKE))
    top = found["t.accounts"]
    assert found["t.users"].reshuffle == Reshuffle(800, sorts=True, join=(top.signature, top.occurrence))
    assert top.reshuffle is None


def test_its_tasks_and_what_they_ran() -> None:
    given = measured(LOWEST)
    assert given.plan is not None
    (join,) = joins_in_place(given.plan, find_joins(given.plan.root, finished=True))
    assert (join.core_ms, join.tasks) == (RUN_MS, TASKS)
    (unknown,) = _joins(plan(LOWEST)).values()
    assert (unknown.core_ms, unknown.tasks) == (None, None)


def test_what_ran_twice_has_the_time_of_both_and_the_tasks_of_one() -> None:
    root = plan(LOWEST)
    twice = [replace(stage_of(number, root.counters), tasks=5, executor_run_time_ms=700) for number in (1, 2)]
    (join,) = joins_in_place(MeasuredPlan(root, twice), find_joins(root, finished=True))
    assert (join.core_ms, join.tasks) == (1400, 5)


SHARING = f"""\
Union |
{indent(LOWEST, "  ")}
  SortMergeJoin | [k#1], [a#4], Inner | number of output rows=40
    ReusedExchange | [k#1,n#2], Exchange hashpartitioning(k#1, 8)
      *
{indent(ACCOUNTS, "    ")}
"""


@pytest.mark.parametrize("reused_first", [False, True])
def test_a_shuffle_that_is_read_elsewhere_is_shared(reused_first: bool) -> None:
    union = plan(SHARING)
    ran, reading = union.children
    events = ran.children[0]
    reused = msgspec.structs.replace(reading.children[0], children=(events,))
    inputs = [ran, msgspec.structs.replace(reading, children=(reused, reading.children[1]))]
    found = _joins(msgspec.structs.replace(union, children=tuple(reversed(inputs) if reused_first else inputs)))
    assert {name: (join.left.readers, join.right.readers) for name, join in found.items()} == {
        "t.users": (2, 1),
        "t.accounts": (2, 1),
    }
    alone = _joins(plan(TWO_KEYS_ALIKE)).values()
    assert all(side.readers == 1 for join in alone for side in join.sides)


def test_a_join_that_is_shown_first_where_it_is_reused_is_known_by_what_is_above_the_one_that_ran() -> None:
    exchange = (
        f"Exchange | hashpartitioning(k#1, 8) | data size=7200; shuffle records written=900\n{indent(LOWEST, '  ')}"
    )
    text = f"Union |\n  ReusedExchange | [k#1]\n    *\n{indent(f'Sort | [k#1]{chr(10)}{indent(exchange, chr(32) * 2)}', '  ')}"
    union = plan(text)
    reused, sort = union.children
    first = msgspec.structs.replace(reused, children=sort.children)
    root = msgspec.structs.replace(union, children=(first, sort))
    stage = stage_of(3, sort.children[0].children[0].counters)
    (join,) = joins_in_place(MeasuredPlan(root, (stage,)), find_joins(root, finished=True))
    assert (join.reshuffle, join.tasks) == (None, TASKS)
