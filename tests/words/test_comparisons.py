"""Two runs side by side in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.compare.jobs import execution, others, run
from tests.policy.histories import conf, recommend
from tuner.compare.cause import Cause, CauseCode
from tuner.compare.compare_runs import compare_runs
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Run, RunState
from tuner.spark.knobs import BROADCAST_THRESHOLD
from tuner.words.causes import cause_words
from tuner.words.comparisons import headline, other_differences, said_causes, total_words
from tuner.words.query_names import QueryNames, names_in

SLOW = run(1, execution(cpu=800), *others(slower=1.02))
FAST = run(0, execution(), *others())


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (FAST, FAST, "both are the same run: nothing differs"),
        (FAST, SLOW, "51.0 s slower (46.4%): 2 min 41 s instead of 110.0 s"),
        (SLOW, FAST, "51.0 s faster (31.7%): 110.0 s instead of 2 min 41 s"),
        (FAST, run(1, execution(), *others()), "no difference: 110.0 s instead of 110.0 s"),
        (
            FAST,
            run(1, execution(cpu=440), *others()),
            "5.0 s slower (4.5%): 115.0 s instead of 110.0 s; no more than runs of one job differ by",
        ),
        (
            FAST,
            run(1, execution("q9"), outside=None),
            "the queries of both runs: 50.0 s instead of 100.0 s; they have no query in common: are they runs of one job?",
        ),
        (
            run(0, execution("old", description="daily sales", relations=("shop.sales",))),
            run(1, execution("new", 800, description="daily sales", relations=("shop.sales",))),
            "50.0 s slower (83.3%): 110.0 s instead of 60.0 s",
        ),
        (run(0), run(1, outside=20.0), "10.0 s slower (100.0%): 20.0 s instead of 10.0 s"),
        (run(0, outside=0.0), run(1, outside=20.0), "20.0 s slower: 20.0 s instead of 0.00 s"),
    ],
)
def test_the_headline_says_how_much(before: Run, after: Run, said: str) -> None:
    assert headline(compare_runs(before, after)) == said


def test_causes_name_the_query_that_they_moved_most_and_how_many_more() -> None:
    found = compare_runs(FAST, SLOW)
    (machine,) = said_causes(found)
    assert total_words(machine, found, names_in([FAST, SLOW])) == (
        "query of q1: processors took 13 min 20 s instead of 6 min 40 s for the same work; and in 5 more queries"
    )


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        (1.2, 3.456, "1.2 of its tasks ran at once, on average, instead of 3.5: "),
        (1.68, 1.72, "1.68 of its tasks ran at once, on average, instead of 1.72: "),
        (1.6801, 1.6849, "1.680 of its tasks ran at once, on average, instead of 1.685: "),
    ],
)
def test_tasks_at_once_are_told_apart(now: float, before: float, said: str) -> None:
    numbers = {"tasks_at_once": now, "tasks_at_once_before": before}
    assert cause_words(Cause(CauseCode.TASKS_AT_ONCE, 1.0, numbers)).startswith(said)


def test_what_explains_little_is_not_said() -> None:
    found = compare_runs(FAST, run(1, execution(cpu=800), *others(), outside=11.0))
    assert [total.kind for total in found.causes] == ["machine", "outside"]
    assert [total.kind for total in said_causes(found)] == ["machine"]


def test_core_hours_differ_only_where_both_logs_tell_them() -> None:
    def held(core_ms: int | None) -> Run:
        found = run(0, execution())
        assert found.outcome is not None
        return replace(found, outcome=replace(found.outcome, allocated_core_ms=core_ms))

    def differences(before: int | None, after: int | None) -> list[str]:
        return list(other_differences(compare_runs(held(before), held(after)), QueryNames()))

    assert differences(3_600_000, 7_200_000) == ["core-hours held: 2 instead of 1"]
    assert differences(3_600_000, None) == differences(None, 3_600_000) == []


def test_what_else_differs_is_told_as_it_is() -> None:
    (change,) = recommend(conf(), queries=("q1",))
    after = run(
        1,
        execution(spilled_bytes=10**9),
        changes=[change],
        conf={conf().target: "16", BROADCAST_THRESHOLD.property: "64m"},
        version="4.1.0",
        cores=4,
        state=RunState.PARTIAL,
    )
    assert after.outcome is not None
    use = ResourceUse(task_ms=1000, gc_ms=120)
    after = replace(after, outcome=replace(after.outcome, resources=use))
    assert list(other_differences(compare_runs(run(0, execution()), after), QueryNames())) == [
        "the run after has a log that is not whole: what that lacks is missing",
        "spilled: 1.0 GB instead of 0 B",
        "garbage collection: 12.0% instead of 0% of tasks' time",
        "Spark 4.1.0 instead of 4.0.1",
        "4 cores instead of 8",
        "2 cores for each executor instead of 4",
        "in force now: spark.sql.shuffle.partitions=16",
        "spark.sql.shuffle.partitions=16 instead of not set (by the tuner)",
        "spark.sql.autoBroadcastJoinThreshold=64m instead of not set",
    ]
