"""What differs between two runs, and why: by what was measured, and no more than that explains."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compare.jobs import GB, execution, join, others, run
from tests.policy.histories import conf, hint, recommend
from tuner.compare.cause import CauseCode, CauseKind
from tuner.compare.compare_runs import NotMeasuredError, compare_runs
from tuner.compare.run_comparison import QueryComparison, RunComparison
from tuner.loop.kept_queries import MOST_IN_FULL, KeptQueries
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query import Query, QueryStatus, ShuffleExchange, TableRead
from tuner.model.query_values import COMPUTED, FilterCondition
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.knobs import ADAPTIVE, BROADCAST_THRESHOLD, SHUFFLE_PARTITIONS
from tuner.words.causes import cause_words
from tuner.words.comparisons import other_differences
from tuner.words.query_names import NO_NAMES


def why(query: QueryComparison) -> dict[CauseCode, float]:
    return {cause.code: pytest.approx(cause.seconds, abs=0.02) for cause in query.causes}


def of(found: RunComparison, fingerprint: str = "q1") -> QueryComparison:
    return next(query for query in found.queries if query.fingerprint == fingerprint)


def compared(before: Query, after: Query, slower: float = 1.0) -> QueryComparison:
    """Among other queries that did the same work in both."""
    return of(compare_runs(run(0, before, *others()), run(1, after, *others(slower=slower))))


def test_nothing_differs_in_the_same_run_twice() -> None:
    found = compare_runs(one := run(0, execution(), *others()), one)
    assert (found.is_same, found.is_noise, found.difference, found.causes) == (True, True, 0.0, ())
    assert all(query.is_noise and not query.causes and not query.operators for query in found.queries)


def test_twice_the_input_explains_twice_the_seconds() -> None:
    found = compared(execution(work=400), execution(work=800, input_bytes=2 * GB))
    assert why(found) == {CauseCode.INPUT: 50.0}
    assert (found.difference, found.share) == (50.0, 1.0)
    assert not found.is_noise


def test_a_plan_that_scans_a_table_once_instead_of_twice_has_no_smaller_input() -> None:
    twice, once = execution(work=800, input_bytes=2 * GB), execution(work=400)
    before, after = replace(twice, source_bytes=GB), replace(once, source_bytes=GB)
    assert CauseCode.INPUT not in why(compared(before, after))
    assert CauseCode.INPUT in why(compared(twice, after)), "where one log does not tell, both count scans"


def test_the_table_that_grew_is_named() -> None:
    def tables(sales: int, day: int = 1) -> tuple[TableRead, ...]:
        return TableRead("shop.sales", (), 10, sales), TableRead(f"shop.days_2024010{day}", (), 10, 4 * GB)

    found = compared(execution(tables=tables(GB)), execution(work=800, input_bytes=2 * GB, tables=tables(2 * GB, 2)))
    assert found.causes[0].numbers["table"] == "sales"
    assert [(one.left, one.bytes) for one in found.operators] == [("sales", GB)]


def test_a_little_more_input_does_not_explain_five_times_the_work() -> None:
    before, after = (
        execution(joins=(join(),)),
        execution(work=2000, input_bytes=GB * 11 // 10, joins=(join(rows=9 * 10**6),)),
    )
    found = compared(before, after)
    grown, read = found.causes
    assert (grown.code, read.code) == (CauseCode.ROWS, CauseCode.INPUT)
    assert grown.seconds > 5 * read.seconds
    assert (grown.numbers["left"], grown.numbers["rows"], grown.numbers["rows_before"]) == (
        "sales",
        9_000_000,
        1_000_000,
    )


def test_a_join_that_makes_more_rows_of_the_same_input_is_named() -> None:
    found = compared(execution(joins=(join(),)), execution(work=800, joins=(join(rows=30_000_000),)))
    assert why(found) == {CauseCode.ROWS: 50.0}
    assert found.causes[0].numbers["right"] == "days"


def test_other_values_explain_other_work_of_the_same_input_and_plan() -> None:
    def of_day(day: str) -> dict[str, object]:
        return {"literals": day, "conditions": (FilterCondition("shop.days.d_date", day), FilterCondition("", "limit"))}

    found = compared(execution(**of_day("a")), execution(work=800, **of_day("b")))
    assert why(found) == {CauseCode.VALUES: 50.0}
    assert found.causes[0].numbers["columns"] == ("d_date",)


def test_columns_of_what_is_computed_are_not_named() -> None:
    of_day = ({"literals": day, "conditions": (FilterCondition(f"{COMPUTED}0123456789abcdef", day),)} for day in "ab")
    before, after = (execution(work=400 * n, **known) for n, known in enumerate(of_day, 1))
    (cause,) = compared(before, after).causes
    assert (cause.code, cause.numbers["columns"]) == (CauseCode.VALUES, ())
    assert cause_words(cause).startswith("other filter values: ")


def test_other_values_are_no_cause_where_the_work_is_the_same() -> None:
    found = compared(execution(literals="a"), execution(literals="b", cpu=800))
    assert why(found) == {CauseCode.PROCESSORS: 50.0}


def test_another_plan_explains_its_work_and_what_no_other_query_lost() -> None:
    broadcast = join(Strategy.BROADCAST_HASH, build_side=BuildSide.RIGHT)
    found = compared(execution(joins=(broadcast,)), execution(work=800, tasks=1600, joins=(join(),)))
    assert why(found) == {CauseCode.PLAN: 150.0}
    assert "largest_of" not in found.causes[0].numbers
    (change,) = found.plan
    assert (change.before, change.after, change.left) == ("BroadcastHashJoin", "SortMergeJoin", "sales")


def test_another_plan_on_a_slower_machine_is_both() -> None:
    broadcast = join(Strategy.BROADCAST_HASH)
    found = compared(execution(joins=(broadcast,)), execution(work=800, cpu=1200, joins=(join(),)), slower=1.5)
    seconds = {cause.code: cause.seconds for cause in found.causes}
    assert seconds.keys() == {CauseCode.PLAN, CauseCode.MACHINE}
    assert seconds[CauseCode.PLAN] > seconds[CauseCode.MACHINE] > 25


def test_another_plan_that_did_the_same_work_is_no_cause_on_a_slower_machine() -> None:
    found = compared(execution(joins=(join(Strategy.BROADCAST_HASH),)), execution(cpu=600, joins=(join(),)), slower=1.5)
    assert {cause.code: cause.seconds for cause in found.causes}[CauseCode.MACHINE] > 0.9 * found.difference


def test_without_other_queries_it_cannot_be_told_what_a_plan_and_what_the_machine_did() -> None:
    before, after = execution(joins=(join(Strategy.BROADCAST_HASH),)), execution(work=800, cpu=1600, joins=(join(),))
    found = of(compare_runs(run(0, before), run(1, after)))
    assert why(found) == {CauseCode.PLAN: 75.0, CauseCode.NOT_TOLD: 75.0}


def test_an_order_of_joins_is_another_plan() -> None:
    first, second = join(signature="a"), join(signature="b")
    found = compared(execution(joins=(first,)), execution(work=800, joins=(second,)))
    assert [change.kind for change in found.plan] == ["order"]
    assert why(found) == {CauseCode.PLAN: 50.0}


def test_what_aqe_chose_while_it_ran_is_told_from_what_was_planned() -> None:
    def planned(before: Strategy, after: Strategy) -> bool:
        broadcast = execution(joins=(join(Strategy.BROADCAST_HASH, planned=before),))
        return compared(broadcast, execution(work=800, joins=(join(planned=after),))).plan[0].by_aqe

    assert planned(Strategy.SORT_MERGE, Strategy.SORT_MERGE)
    assert not planned(Strategy.BROADCAST_HASH, Strategy.SORT_MERGE)


@pytest.mark.parametrize(("nights", "sign", "told"), [((1, 0), 1, "changes_out"), ((0, 1), -1, "changes_in")])
def test_a_change_of_the_tuners_that_one_run_alone_had_explains_its_query(
    nights: tuple[int, int], sign: int, told: str
) -> None:
    (change,) = recommend(hint("q1"))
    with_it = run(nights[1], execution(joins=(join(Strategy.BROADCAST_HASH),)), *others(), changes=[change])
    without = run(nights[0], execution(work=800, joins=(join(),)), *others())
    found = compare_runs(*(sorted([with_it, without], key=lambda one: one.started_at)))
    assert why(of(found)) == {CauseCode.CHANGES: sign * 50.0}
    assert getattr(found, told) == (change.id,)
    assert of(found).causes[0].numbers[told] == (change.id,)
    assert found.changes == {change.id: change}


def test_what_a_run_was_without_on_purpose_is_told_as_that() -> None:
    (change,) = recommend(hint("q1"))
    with_it = run(0, execution(joins=(join(Strategy.BROADCAST_HASH),)), *others(), changes=[change])
    without = run(1, execution(work=800, joins=(join(),)), *others())
    never = Reason(ReasonCode.NEVER_WITHOUT, {})
    held = DecidedChange(change, Standing.HELD, change.reason, never)
    without = replace(without, decision=replace(without.decision, changes=(held,)))
    found = compare_runs(with_it, without)
    assert found.left_out == of(found).causes[0].numbers["left_out"] == found.changes_out == (change.id,)
    assert "without the tuner's change, left out once to compare: " in cause_words(of(found).causes[0])
    assert [line.split(":")[0] for line in other_differences(found, NO_NAMES) if "compare" in line] == [
        "in force before, and left out once to compare"
    ]


def test_a_change_of_the_tuners_does_not_explain_another_query() -> None:
    (change,) = recommend(hint("q1"))
    found = compare_runs(
        run(0, execution("q2"), execution("q1"), *others()),
        run(1, execution("q2", cpu=800), execution("q1"), *others(), changes=[change]),
    )
    assert why(of(found, "q2")) == {CauseCode.PROCESSORS: 50.0}


def shuffled(partitions: int) -> tuple[ShuffleExchange, ...]:
    return (ShuffleExchange(partitions, GB, GB, 1000, 8, True),)


def test_settings_that_planners_read_explain_another_plan() -> None:
    name = SHUFFLE_PARTITIONS.property
    found = compare_runs(
        run(0, execution(shuffles=shuffled(200)), *others(), conf={name: "200"}),
        run(1, execution(work=800, shuffles=shuffled(2000)), *others(), conf={name: "2000"}),
    )
    assert why(of(found)) == {CauseCode.SETTINGS: 50.0}
    assert of(found).causes[0].numbers["properties"] == (name,)
    assert [(s.property, s.before, s.after, s.by_tuner) for s in found.settings] == [(name, "200", "2000", False)]


def test_a_property_that_the_tuner_set_explains_the_plans_of_queries_that_it_was_not_meant_for() -> None:
    (change,) = recommend(conf(), queries=("another",))
    found = compare_runs(
        run(0, execution(shuffles=shuffled(200)), *others()),
        run(1, execution(work=800, shuffles=shuffled(16)), *others(), changes=[change], conf={conf().target: "16"}),
    )
    assert why(of(found)) == {CauseCode.CHANGES: 50.0}
    assert [one.by_tuner for one in found.settings] == [True]


def test_what_is_only_spelled_otherwise_is_no_other_setting() -> None:
    spelled = [{BROADCAST_THRESHOLD.property: "64m"}, {BROADCAST_THRESHOLD.property: "67108864"}]
    found = compare_runs(*(run(night, execution(), conf=properties) for night, properties in enumerate(spelled)))
    assert found.settings == ()
    unset = compare_runs(run(0, execution()), run(1, execution(), conf={ADAPTIVE.property: "true"}))
    assert unset.settings == ()


def test_another_version_of_spark_is_not_told_from_the_machine() -> None:
    found = compare_runs(run(0, execution(), *others()), run(1, execution(cpu=800), *others(), version="4.1.0"))
    assert of(found).causes[0].numbers == {"why": "version_or_machine"}


def test_fewer_cores_are_told_though_the_version_of_spark_is_another_one() -> None:
    def on(cores: int, seconds: float, version: str) -> Run:
        return run(cores, execution(seconds=seconds), cores=cores, version=version)

    resized = of(compare_runs(on(8, 50, "3.5.1"), on(4, 100, "3.5.3")))
    assert why(resized) == {CauseCode.CORES: 50.0}
    late = of(compare_runs(on(8, 50, "3.5.1"), on(4, 200, "3.5.3")))
    assert why(late) == {CauseCode.CORES: 75.0, CauseCode.NOT_TOLD: 75.0}
    assert late.causes[1].numbers == {"why": "version_or_machine"}


def test_processors_that_took_longer_for_the_same_work_are_the_machine() -> None:
    found = compared(execution(), execution(cpu=600))
    assert why(found) == {CauseCode.PROCESSORS: 25.0}
    assert found.causes[0].kind is CauseKind.MACHINE


def test_stages_that_ran_again_are_told() -> None:
    lost = execution(cpu=800)
    assert lost.work is not None
    again = replace(lost, work=replace(lost.work, stages=(*lost.work.stages, replace(lost.work.stages[0], amounts={}))))
    found = compared(execution(), again)
    assert why(found) == {CauseCode.PROCESSORS: 50.0}
    assert (found.causes[0].numbers["retries"], found.causes[0].numbers["retries_before"]) == (1, 0)


def test_tasks_that_waited_are_told_from_processors_that_were_slow() -> None:
    found = compared(execution(), execution(tasks=1600, spilled_bytes=GB))
    assert why(found) == {CauseCode.WAITING: 150.0}
    numbers = found.causes[0].numbers
    assert (numbers["waiting_share"], numbers["waiting_share_before"]) == (0.75, 0.0)


def test_half_the_cores_explain_up_to_twice_the_seconds() -> None:
    def on(cores: int, seconds: float) -> Run:
        return run(cores, execution(seconds=seconds), cores=cores)

    assert why(of(compare_runs(on(8, 50), on(4, 100)))) == {CauseCode.CORES: 50.0}
    late = of(compare_runs(on(8, 50), on(4, 200)))
    assert why(late) == {CauseCode.CORES: 75.0, CauseCode.TASKS_AT_ONCE: 75.0}
    # Fewer cores make nothing faster.
    assert why(of(compare_runs(on(8, 50), on(4, 25)))) == {CauseCode.TASKS_AT_ONCE: -25.0}


def test_what_undoes_itself_explains_nothing() -> None:
    found = compared(execution(), execution(work=800, cpu=400, input_bytes=2 * GB))
    assert (found.difference, found.causes) == (0.0, ())


def test_a_query_that_differs_by_no_more_than_any_is_noise_and_adds_up_with_the_others() -> None:
    slow = [execution(f"q{n}", 400, cpu=440) for n in range(40)]
    found = compare_runs(run(0, *(execution(f"q{n}", 400) for n in range(40))), run(1, *slow))
    assert all(query.is_noise for query in found.queries)
    (machine,) = found.causes
    assert (machine.kind, machine.queries) == (CauseKind.MACHINE, 40)
    assert machine.seconds == pytest.approx(40 * 5.0)
    assert found.is_noise


def test_work_that_was_not_measured_is_taken_from_the_input_where_nothing_else_differs() -> None:
    before, after = execution(measured=False), execution(cpu=1600, input_bytes=2 * GB, measured=False)
    assert why(compared(before, after)) == {CauseCode.INPUT: 75.0, CauseCode.PROCESSORS: 75.0}
    joined = replace(after, joins=(join(),))
    other_plan = of(compare_runs(run(0, replace(before, joins=(join(Strategy.BROADCAST_HASH),))), run(1, joined)))
    assert other_plan.causes[0].numbers["why"] == "plan_or_machine"


def brief(query: Query) -> Query:
    """As it is kept of a run of very many executions."""
    kept = KeptQueries(in_full={str(n): [n] for n in range(MOST_IN_FULL)}, count=MOST_IN_FULL)
    kept.add(query)
    return kept.found[0]


def test_a_plan_that_was_not_kept_is_not_taken_for_the_same_one() -> None:
    """A later run broadcast no more, and had so many executions that of most of them times alone are kept."""
    shuffles = (ShuffleExchange(200, GB, GB, 1_000_000, 100, adjustable=True),)
    before = execution(work=400, joins=(join(Strategy.BROADCAST_HASH),), shuffles=shuffles)
    full = execution(work=1200, joins=(join(),), shuffles=shuffles)
    after = [brief(full) for _ in range(4)]
    found = compare_runs(run(0, *[before] * 5, *others()), run(1, full, *after, *others()))
    of_query = of(found)
    assert why(of_query) == {CauseCode.PLAN: 100.0, CauseCode.NOT_TOLD: 400.0}
    assert {cause.numbers.get("why") for cause in of_query.causes} == {None, "plan_not_kept"}
    assert of_query.after is not None and of_query.after.work_seconds == pytest.approx(5 * 1200)
    only_brief = of(compare_runs(run(0, before, *others()), run(1, after[0], *others())))
    assert why(only_brief) == {CauseCode.NOT_TOLD: 100.0}
    assert only_brief.operators == ()
    unmeasured = brief(replace(full, work=None))
    assert unmeasured.shuffles and not unmeasured.work_in_brief
    assert of(compare_runs(run(0, before, *others()), run(1, unmeasured, *others()))).operators == ()


def test_executions_whose_plans_were_not_kept_tell_nothing_of_the_machine() -> None:
    """Three times as long for the same work, by their plans: another query's plan is not called right for that."""
    old, new = [execution("q1", joins=(join(),))], [execution("q1", cpu=1200, joins=(join(Strategy.BROADCAST_HASH),))]
    old += [brief(execution(f"q{n}")) for n in range(2, 9)]
    new += [brief(execution(f"q{n}", cpu=1200)) for n in range(2, 9)]
    found = compare_runs(run(0, *old), run(1, *new))
    assert {total.kind for total in found.causes} == {CauseKind.UNKNOWN}


def test_what_was_kept_in_brief_is_the_machines_as_far_as_other_queries_show() -> None:
    machine, rest = compared(execution(), brief(execution(cpu=800)), slower=2.0).causes
    assert (machine.code, rest.code) == (CauseCode.MACHINE, CauseCode.NOT_TOLD)
    assert machine.seconds == pytest.approx(50.0, abs=0.5)


def test_of_runs_from_before_anything_was_measured_only_the_input_tells() -> None:
    def old(seconds: float, read: int) -> Query:
        return replace(
            execution(seconds=seconds, measured=False, input_bytes=read), executor_cpu_ms=0, executor_run_ms=0
        )

    found = of(compare_runs(run(0, old(50, GB)), run(1, old(200, 2 * GB))))
    assert why(found) == {CauseCode.INPUT: 75.0, CauseCode.NOT_TOLD: 75.0}
    unread = of(compare_runs(run(0, old(50, 0)), run(1, old(200, 0))))
    assert why(unread) == {CauseCode.NOT_TOLD: 150.0}


def test_executions_are_paired_by_their_values_and_what_is_left_ran_more_often() -> None:
    three = [execution(literals=day, seconds=took) for day, took in (("a", 10.0), ("b", 20.0), ("c", 30.0))]
    two = [execution(literals="c", seconds=31.0), execution(literals="a", seconds=10.0)]
    found = of(compare_runs(run(0, *three), run(1, *two)))
    assert (found.executions_before, found.executions_after) == (3, 2)
    assert why(found) == {CauseCode.EXECUTIONS: -20.0, CauseCode.TASKS_AT_ONCE: 1.0}
    assert found.difference == pytest.approx(-19.0)


def test_what_several_executions_have_in_common_adds_up_and_is_told_of_the_largest() -> None:
    def loop(*read: int) -> list[Query]:
        return [execution(literals=str(n), work=400 * size, input_bytes=GB * size) for n, size in enumerate(read)]

    found = of(compare_runs(run(0, *loop(1, 1, 1)), run(1, *loop(2, 4, 1))))
    assert why(found) == {CauseCode.INPUT: 200.0}
    assert (found.causes[0].numbers["bytes"], found.causes[0].numbers["largest_of"]) == (4 * GB, 2)


def daily(fingerprint: str, work: float = 400.0, *more: str, **known: object) -> Query:
    relations = tuple(sorted(("shop.days", "shop.sales", *more)))
    return execution(fingerprint, work, description="daily sales", relations=relations, **known)


def test_what_an_edit_cost_is_told_of_the_query_as_one() -> None:
    before = daily("old", joins=(join(),))
    after = daily("new", 800, "shop.customers", joins=(join(), join(signature="customers=sales")))
    found = compare_runs(run(0, before, *others()), run(1, after, *others()))
    query = of(found, "new")
    assert query.before is not None and query.after is not None
    assert (query.before.seconds, query.after.seconds, query.share, query.is_noise) == (50.0, 100.0, 1.0, False)
    assert why(query) == {CauseCode.EDITED: 50.0}
    numbers = query.causes[0].numbers
    assert (numbers["fingerprint_before"], numbers["reads_now"]) == ("old", ("customers",))
    assert (numbers["read_before"], numbers["by_other_rules"]) == ((), False)
    assert [(one.kind, one.before) for one in query.operators if one.kind == "join"] == [("join", None)]
    assert [one.kind for one in query.plan] == ["join"]
    assert "old" not in {one.fingerprint for one in found.queries}
    (total,) = found.causes
    assert (total.kind, total.fingerprint) == (CauseKind.STATEMENT, "new")
    assert not found.is_noise


@pytest.mark.parametrize("is_decided_still", [False, True])
def test_an_edit_that_lost_changes_of_the_tuners_says_so(is_decided_still: bool) -> None:
    """A hint is for the statement that it was measured with; it stays decided on for as long as that may come back."""
    (change,) = recommend(hint("old"), queries=("old",))
    before = run(0, daily("old"), *others(), changes=[change])
    found = compare_runs(before, run(1, daily("new", 800), *others(), changes=[change] * is_decided_still))
    (cause,) = of(found, "new").causes
    assert (cause.code, cause.seconds, cause.numbers["changes_out"]) == (CauseCode.EDITED, 50.0, (change.id,))
    assert "without 1 change of the tuner's" in cause_words(cause)
    given = daily("new", 800, directives=(DirectiveResult(change.id, DirectiveStatus.APPLIED),))
    (cause,) = of(compare_runs(before, run(1, given, *others(), changes=[change])), "new").causes
    assert cause.numbers["changes_out"] == ()


def test_an_edited_query_of_a_job_of_one_is_in_both_runs() -> None:
    found = compare_runs(run(0, daily("old")), run(1, daily("new", 800)))
    assert found.has_common_queries
    assert why(of(found, "new")) == {CauseCode.EDITED: 50.0}


def test_a_query_that_only_writes_elsewhere_is_the_same_with_all_that_differs_in_it() -> None:
    """All writes of a job may have one description."""
    jobs = [
        (daily(f"a{n}", statement=f"{n}"), daily(f"b{n}", 400 * n, input_bytes=GB * n, statement=f"{n}"))
        for n in (1, 2)
    ]
    old, new = zip(*jobs, strict=True)
    found = compare_runs(run(0, *old), run(1, *new))
    assert why(of(found, "b2")) == {CauseCode.INPUT: 50.0}
    assert not of(found, "b1").causes
    assert why(of(compare_runs(run(0, daily("a", statement="1")), run(1, daily("b", 800, statement="2"))), "b")) == {
        CauseCode.EDITED: 50.0
    }


def test_edited_queries_tell_nothing_of_the_machine_and_are_never_noise() -> None:
    """All did the same work as it seems, and took twice as long for what they do now."""
    old = [replace(daily(f"old{n}"), description=f"query {n}") for n in range(5)]
    new = [replace(daily(f"new{n}", cpu=800), description=f"query {n}") for n in range(5)]
    rest = execution(joins=(join(Strategy.BROADCAST_HASH),)), execution(work=800, cpu=1600, joins=(join(),))
    found = compare_runs(run(0, rest[0], *old), run(1, rest[1], *new))
    assert why(of(found)) == {CauseCode.PLAN: 75.0, CauseCode.NOT_TOLD: 75.0}
    assert not of(compare_runs(run(0, daily("old"), *others()), run(1, daily("new"), *others())), "new").is_noise


def test_another_order_of_the_same_tables_in_an_edited_query_is_no_choice_of_sparks() -> None:
    before, after = daily("old", joins=(join(signature="a"),)), daily("new", joins=(join(signature="b"),))
    assert [change.kind for change in of(compare_runs(run(0, before), run(1, after)), "new").plan] == ["join", "join"]


def test_under_another_spark_it_may_be_that_what_has_another_fingerprint() -> None:
    found = compare_runs(run(0, daily("old"), version="3.5.1"), run(1, daily("new", 800), version="4.0.1"))
    assert of(found, "new").causes[0].numbers["by_other_rules"] is True


def test_an_edited_query_that_failed_and_one_that_ran_more_often_say_so() -> None:
    failed = daily("new", 40, status=QueryStatus.FAILED)
    assert why(of(compare_runs(run(0, daily("old")), run(1, failed)), "new")) == {CauseCode.FAILED: -45.0}
    more = of(compare_runs(run(0, daily("old")), run(1, daily("new", 800), daily("new", 80))), "new")
    assert why(more) == {CauseCode.EDITED: 50.0, CauseCode.EXECUTIONS: 10.0}


def test_queries_that_only_one_run_has() -> None:
    found = compare_runs(run(0, execution("old"), *others()), run(1, execution("new", work=80), *others()))
    gone, come = of(found, "old"), of(found, "new")
    assert (gone.after, come.before) == (None, None)
    assert (why(gone), why(come)) == ({CauseCode.DISAPPEARED: -50.0}, {CauseCode.APPEARED: 10.0})
    (total,) = found.causes
    assert (total.kind, total.fingerprint, total.queries) == (CauseKind.QUERIES, "old", 1)
    assert total.seconds == pytest.approx(-40.0)


def test_of_a_log_that_breaks_off_what_is_missing_is_not_called_gone() -> None:
    found = compare_runs(run(0, *others()), run(1, *others(2), state=RunState.PARTIAL, outside=None))
    assert found.causes[0].largest.numbers["state"] == "partial"
    assert not found.compares_applications
    assert found.difference == pytest.approx(-30.0)


def test_a_query_that_failed_is_compared_with_none() -> None:
    found = compared(execution(), execution(work=40, status=QueryStatus.FAILED))
    assert why(found) == {CauseCode.FAILED: -45.0}
    assert found.causes[0].numbers == {"status": "failed", "status_before": "succeeded"}


def test_time_without_a_query_is_told_apart() -> None:
    found = compare_runs(run(0, *others()), run(1, *others(), outside=190.0))
    (outside,) = found.causes
    assert (outside.kind, outside.seconds, outside.queries, outside.fingerprint) == (CauseKind.OUTSIDE, 180.0, 0, "")
    assert found.difference == 180.0


def test_queries_that_run_at_once_do_not_count_twice_on_the_clock() -> None:
    def at_once(night: int, work: float) -> Run:
        both = run(night, execution("q1", work), execution("q2", work))
        assert both.outcome is not None
        queries = tuple(replace(query, start_ms=1_000_000) for query in both.outcome.queries)
        took = int(work / 8 * 1000) + 10_000
        return replace(both, outcome=replace(both.outcome, queries=queries, duration_ms=took))

    found = compare_runs(at_once(0, 400), at_once(1, 800))
    assert (found.difference, found.after.overlaps, found.after.outside_seconds) == (50.0, True, 10.0)
    assert found.after.query_seconds == 200.0


def test_a_run_that_was_not_measured_is_refused() -> None:
    with pytest.raises(NotMeasuredError):
        compare_runs(run(0, execution()), replace(run(1), outcome=None))


def test_runs_without_queries_have_a_time_outside_them_alone() -> None:
    found = compare_runs(run(0), run(1, outside=20.0))
    assert (found.queries, found.difference, found.has_common_queries) == ((), 10.0, False)


def test_five_hundred_queries_are_compared_at_once() -> None:
    joins = tuple(join(signature=str(number)) for number in range(20))
    before = run(0, *(execution(f"q{n}", 100 + n, joins=joins) for n in range(500)))
    after = run(1, *(execution(f"q{n}", 110 + n, joins=joins[::-1]) for n in range(500)), cores=4)
    started = time.process_time()
    found = compare_runs(before, after)
    # A fifth of a second where nothing else runs; in the square of its queries it would take minutes.
    assert time.process_time() - started < 4.0
    assert len(found.queries) == 500


amounts = st.floats(0.0, 1e4)


@given(amounts, amounts, amounts, amounts, amounts, amounts, st.integers(0, 10**12), st.integers(0, 16), st.booleans())
def test_causes_sum_to_the_difference_and_point_its_way(
    work: float,
    cpu: float,
    tasks: float,
    seconds: float,
    other: float,
    slower: float,
    read: int,
    cores: int,
    same: bool,
) -> None:
    before = execution("q1", work, cpu=cpu, tasks=tasks, seconds=seconds, joins=(join(),))
    joins = (join() if same else join(Strategy.BROADCAST_HASH),)
    after = execution("q1", other, cpu=tasks, tasks=cpu, seconds=slower, input_bytes=read, joins=joins)
    after_run = run(1, after, *others(slower=1.2))
    assert after_run.outcome is not None
    after_run = replace(after_run, outcome=replace(after_run.outcome, cluster=Cluster(cores)))
    found = of(compare_runs(run(0, before, *others()), after_run))
    assert sum(cause.seconds for cause in found.causes) == pytest.approx(found.difference, abs=0.005)
    assert all(cause.seconds * found.difference >= -1e-6 for cause in found.causes)
