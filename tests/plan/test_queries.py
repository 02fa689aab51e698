"""Applications to queries: which executions are queries, and what they add up to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from tuner.model.application import Application, Completeness, Execution, Executors, PlanInfo, Stage
from tuner.model.join_site import WrittenFiles
from tuner.model.query import Query, QueryStatus
from tuner.model.strategy import Strategy
from tuner.plan.measured_plan import MAX_WORK
from tuner.plan.queries import queries, query

from .trees import fixture, parse

JOINED = """
    {join} | number of output rows=5
      Scan parquet default.orders | [k#1] | number of output rows=50; size of files read=900
      Scan parquet default.items | [k#3] | number of output rows=7; size of files read=100
"""
SORT_MERGE = "SortMergeJoin | [k#1], [k#3], Inner"
BROADCAST = "BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight, false"


def execution(initial: str | None, final: str | None = None, **fields: object) -> Execution:
    plans = [parse(text)[0] if text else None for text in (initial, final)]
    whole = Execution(4, 4, "nightly report", 1000, 3500, None, plans[0], plans[1], {}, (0,))
    return replace(whole, **fields)  # type: ignore[arg-type]


def application(
    *executions: Execution, stages: tuple[Stage, ...] = (), accumulators: dict[int, int] | None = None
) -> Application:
    counted = tuple(replace(execution, accumulators=accumulators or {}) for execution in executions)
    return Application("app", "name", None, "4.3.0", 0, 1, Completeness.COMPLETE, Executors(), {}, counted, (), stages)


def stage(number: int, execution_id: int | None = 4, accumulators: frozenset[int] = frozenset()) -> Stage:
    return Stage(
        number,
        0,
        execution_id,
        10,
        10,
        0,
        0,
        0,
        1,
        None,
        2000,
        1_500_000_000,
        777,
        1,
        1,
        1,
        1,
        1,
        64,
        32,
        1,
        1,
        accumulators,
    )


def test_a_query_with_what_it_read_and_what_its_stages_cost() -> None:
    text = JOINED.format(join=SORT_MERGE)
    stages = (stage(0), stage(1), stage(2, execution_id=9), stage(3, execution_id=None))
    (query,) = queries(application(execution(text), stages=stages, accumulators=parse(text)[1]))
    assert (query.id, query.root_id, query.description) == (4, 4, "nightly report")
    assert (query.start_ms, query.duration_ms, query.status) == (1000, 2500, QueryStatus.SUCCEEDED)
    assert (query.input_bytes, query.input_rows) == (1000, 57)
    assert (query.executor_run_ms, query.executor_cpu_ms, query.spilled_bytes, query.task_count) == (4000, 3000, 64, 20)
    assert [join.output_rows for join in query.joins] == [5]


@pytest.mark.parametrize(
    ("text", "read", "each_once"),
    [
        pytest.param("size of files read=600 | size of files read=600", 1200, 600, id="the same files"),
        pytest.param("size of files read=600 | size of files read=400", 1000, 1000, id="other partitions of a table"),
        pytest.param("static size of files read=600 | size of files read=600", 1200, 600, id="pruned as it runs"),
    ],
)
def test_files_that_are_scanned_twice_are_there_once(text: str, read: int, each_once: int) -> None:
    one, other = text.split(" | ")
    plan = f"""
        Union
          Scan parquet shop.orders | [k#1] | {one}; number of output rows=9
          Scan parquet shop.orders | [k#8] | {other}; number of output rows=9
    """
    (query,) = queries(application(execution(plan), accumulators=parse(plan)[1]))
    assert (query.input_bytes, query.source_bytes) == (read, each_once)


def test_relations_are_all_that_the_query_reads_in_subqueries_too_each_once() -> None:
    text = """
        SortMergeJoin | [k#1], [k#3], Inner
          Scan parquet default.orders | [k#1]
            SubqueryBroadcast | dynamicpruning#20, 0, [d#7]
              Scan parquet default.days | [d#7]
          Filter | (k#3 > Subquery subquery#7)
            Scan parquet  | [k#3] | | [file:/lake/items/day=2026-01-01]
            Subquery | subquery#7
              Union
                Scan parquet default.orders | [k#8]
                Scan parquet default.limits | [k#9]
    """
    (query,) = queries(application(execution(text)))
    assert query.relations == ("default.limits", "default.orders", "file:/lake/items/day=*")


def test_what_aqe_found_empty_was_to_be_read() -> None:
    (query,) = queries(application(execution(JOINED.format(join=SORT_MERGE), "EmptyRelation | [plan_id=7]")))
    assert query.relations == ("default.items", "default.orders")


@pytest.mark.parametrize(
    ("text", "reads_cache"),
    [
        pytest.param("InMemoryTableScan | [k#1]\n  Scan parquet default.orders | [k#1]", True, id="with what fills it"),
        pytest.param("InMemoryTableScan | [k#1]", False, id="as the agent sees it"),
        pytest.param("Scan parquet default.orders | [k#1]", False, id="none"),
    ],
)
def test_whether_a_cache_is_read(text: str, reads_cache: bool) -> None:
    assert queries(application(execution(text)))[0].reads_cache is reads_cache


@pytest.mark.parametrize(
    ("join", "other"),
    [
        ("PhotonShuffledHashJoin | [k#1], [k#3], Inner, BuildRight", True),
        ("PhotonBroadcastHashJoin | [k#1], [k#3], Inner, BuildRight", True),
        ("ShuffledHashJoinExecTransformer | [k#1], [k#3], Inner, BuildRight", True),
        ("VeloxBroadcastNestedLoopJoinExecTransformer | Inner, BuildRight", True),
        ("CartesianProductExecTransformer", True),
        ("CometSortMergeJoin | [k#1], [k#3], Inner", True),
        ("GpuShuffledHashJoin | [k#1], [k#3], Inner, GpuBuildRight", True),
        ("SortMergeJoin | [k#1], [k#3], Inner", False),
        ("SortMergeJoin(skew=true) | [k#1], [k#3], Inner", False),
        ("ShuffledHashJoin | [k#1], [k#3], Inner, BuildRight", False),
        ("BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight, false", False),
        ("BroadcastNestedLoopJoin | BuildRight, Inner", False),
        ("CartesianProduct", False),
        ("StreamingSymmetricHashJoin | [k#1], [k#3], Inner", False),
        ("Union", False),
    ],
)
def test_whether_another_engine_runs_a_join(join: str, other: bool) -> None:
    text = f"{join}\n  Scan parquet default.orders | [k#1]\n  Scan parquet default.items | [k#3]"
    (query,) = queries(application(execution(text)))
    assert query.has_other_joins is other
    assert not (query.has_other_joins and query.joins)


def test_bytes_are_those_of_the_tasks_where_the_scans_do_not_say() -> None:
    (query,) = queries(application(execution("Scan ExistingRDD | [a#1]"), stages=(stage(0), stage(1))))
    assert (query.input_bytes, query.source_bytes) == (2 * 777, 2 * 777)


@pytest.mark.parametrize(
    ("other", "ran_in", "read"),
    [
        pytest.param(
            "Scan hive shop.orders", (frozenset({1, 2}), frozenset({3})), 600 + 777, id="in a stage of its own"
        ),
        pytest.param("Scan hive shop.orders", (frozenset({1, 2, 3}),), 600, id="in one with the files"),
        pytest.param("Scan hive shop.orders", (frozenset({1, 2}), frozenset({9})), 600, id="in one that is not known"),
        pytest.param("InMemoryTableScan", (frozenset({1, 2}), frozenset({3})), 600, id="a cache"),
    ],
)
def test_bytes_are_those_of_the_tasks_of_scans_that_do_not_say(
    other: str, ran_in: tuple[frozenset[int], ...], read: int
) -> None:
    plan = f"""
        Union
          Scan parquet shop.items | [k#1] | size of files read=600; number of output rows=9
          {other} | [k#8] | number of output rows=9
    """
    stages = tuple(stage(number, accumulators=ids) for number, ids in enumerate(ran_in))
    (query,) = queries(application(execution(plan), stages=stages, accumulators=parse(plan)[1]))
    assert (query.input_bytes, query.source_bytes) == (read, read)


def test_measured_joins_carry_the_strategy_and_the_estimates_they_were_planned_with() -> None:
    run = execution(
        JOINED.format(join=SORT_MERGE),
        JOINED.format(join=BROADCAST),
        logical_plan=(
            "Join Inner, (k#1 = k#3), Statistics(sizeInBytes=1.0 TiB)\n"
            ":- Relation default.orders[k#1] parquet, Statistics(sizeInBytes=9.0 GiB)\n"
            "+- Relation default.items[k#3] parquet, Statistics(sizeInBytes=3.0 KiB)"
        ),
    )
    (join,) = queries(application(run))[0].joins
    assert (join.strategy, join.planned_strategy) == (Strategy.BROADCAST_HASH, Strategy.SORT_MERGE)
    assert (join.left.estimated_bytes, join.right.estimated_bytes) == (9 << 30, 3 << 10)


def test_joins_that_counted_no_rows_had_none_if_the_query_came_to_its_end() -> None:
    text = JOINED.format(join=SORT_MERGE).replace("rows=5\n", "rows=\n").replace("rows=7;", "rows=;")
    ended = execution(text)
    nothing: dict[int, int] = {}
    for run, accumulators, rows in (
        (ended, parse(text)[1], (0, 0)),
        (ended, nothing, (None, None)),  # a plan that was logged and did not run
        (replace(ended, end_ms=None), nothing, (None, None)),
    ):
        (join,) = queries(application(run, accumulators=accumulators))[0].joins
        assert (join.right.rows, join.output_rows) == rows


def test_a_join_that_was_not_planned_has_no_planned_strategy() -> None:
    run = execution("Scan parquet default.orders | [k#1]", JOINED.format(join=BROADCAST))
    assert queries(application(run))[0].joins[0].planned_strategy is None


def test_the_fingerprint_is_that_of_the_plan_before_aqe() -> None:
    aqe = execution(fixture("report.txt"), JOINED.format(join=BROADCAST))
    plain = execution(fixture("report.txt"))
    assert len({query.fingerprint for query in queries(application(aqe, plain))}) == 1


def test_shuffles_know_how_many_tasks_wrote_them() -> None:
    text = "Exchange | hashpartitioning(k#1, 8) | shuffle bytes written=9\n  Scan parquet default.orders | [k#1]"
    (query,) = queries(application(execution(text), stages=(stage(0, accumulators=frozenset({1})),)))
    assert [shuffle.map_tasks for shuffle in query.shuffles] == [10]


def test_a_shuffle_that_was_written_again_in_part_has_the_tasks_of_the_first_time_and_the_times_of_both() -> None:
    text = "Exchange | hashpartitioning(k#1, 8) | shuffle bytes written=9\n  Scan parquet default.orders | [k#1]"
    first = stage(0, accumulators=frozenset({1}))
    again = replace(first, attempt=1, tasks=3, completed_tasks=3, executor_run_time_ms=50)
    (query,) = queries(application(execution(text), stages=(first, again)))
    assert [(shuffle.map_tasks, shuffle.map_core_ms) for shuffle in query.shuffles] == [(10, 2050)]


@pytest.mark.parametrize(
    ("fields", "status", "duration", "error"),
    [
        ({}, QueryStatus.SUCCEEDED, 2500, None),
        ({"error": "[DIVIDE_BY_ZERO] by 4711"}, QueryStatus.FAILED, 2500, "[DIVIDE_BY_ZERO]"),
        (
            {"error": "org.apache.spark.SparkException: Job aborted: java.lang.OutOfMemoryError: Java heap space"},
            QueryStatus.FAILED,
            2500,
            "org.apache.spark.SparkException, java.lang.OutOfMemoryError",
        ),
        ({"error": "login of mallory"}, QueryStatus.FAILED, 2500, "unknown error"),
        ({"end_ms": None}, QueryStatus.UNFINISHED, None, None),
        (
            {"error": "java.lang.InterruptedException", "stopped": True},
            QueryStatus.UNFINISHED,
            2500,
            "java.lang.InterruptedException",
        ),
        ({"end_ms": 900}, QueryStatus.SUCCEEDED, None, None),
    ],
)
def test_outcomes(fields: dict[str, object], status: QueryStatus, duration: int | None, error: str | None) -> None:
    (query,) = queries(application(execution("Scan parquet default.orders | [k#1]", **fields)))
    assert (query.status, query.duration_ms, query.error) == (status, duration, error)


@pytest.mark.parametrize(
    "command",
    [
        None,
        "Execute CreateViewCommand",
        "Execute SetCatalogCommand | x",
        "ShowTables | [namespace#1]",
        "CommandResult | [num_affected_rows#1]",
        "CollectLimit | 21\n  CommandResult | [database#1]\n    ShowTables | [database#1]",
        # Their queries run as executions of their own.
        "CacheTableAsSelect | kept, Project [k#1], SELECT k FROM orders",
        "AtomicCreateTableAsSelect | lake.db.made | number of added files=1",
        "AppendDataExecV1 | JDBCTable(APP.MADE)",
    ],
)
def test_what_reads_nothing_is_no_query(command: str | None) -> None:
    assert queries(application(execution(command))) == ()


@pytest.mark.parametrize("plan", ["Scan parquet default.orders | [k#1]", "Range | (0, 9) | number of output rows=9"])
def test_what_only_reads_is_one(plan: str) -> None:
    assert len(queries(application(execution(plan)))) == 1


def test_a_command_that_writes_what_a_query_reads_is_one() -> None:
    assert len(queries(application(execution(fixture("report.txt"))))) == 1


def test_harvest_asks_for_a_part_of_what_advice_does() -> None:
    whole = execution(JOINED.format(join=SORT_MERGE), JOINED.format(join=BROADCAST))
    (full,) = queries(application(whole))
    part = query(whole, (stage(0),))
    assert part is not None
    told = ("id", "root_id", "fingerprint", "status", "joins", "literals", "conditions", "main_relations", "directives")
    assert [getattr(part, name) for name in told] == [getattr(full, name) for name in told]
    assert full.relations and not part.relations


def test_a_plan_deeper_than_python_recurses_is_read_like_any_other() -> None:
    deep = PlanInfo("Scan")
    for _ in range(2000):
        deep = PlanInfo("Project", children=(deep,))
    fine = execution("Scan parquet default.orders | [k#1]", execution_id=5)
    found = queries(application(replace(fine, initial_plan=deep), replace(fine, final_plan=deep), fine))
    assert len({query.fingerprint for query in found}) == 2
    assert [query.id for query in found] == [5, 5, 5]


@pytest.mark.parametrize("most", [MAX_WORK, 100])
def test_a_plan_that_takes_long_to_look_around_in_has_its_joins_placed_all_the_same(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("tuner.plan.queries.MAX_WORK", most)
    text = """
        Execute InsertIntoHadoopFsRelationCommand | file:/t | number of written files=600; written output=6000
          Filter | (n#2 > 1) | number of output rows=2
            SortMergeJoin | [k#1], [u#3], Inner | number of output rows=900
              Exchange | hashpartitioning(k#1, 8) | data size=8000; shuffle records written=1000
                Scan parquet t.events | [k#1,n#2] | number of output rows=1000
              Exchange | hashpartitioning(u#3, 8) | data size=800; shuffle records written=100
                Scan parquet t.users | [u#3] | number of output rows=100
          ReusedExchange | [k#1,n#2], Exchange hashpartitioning(k#1, 8)
        """
    write, accumulators = parse(text)
    above, reused = write.children
    events = above.children[0].children[0]
    twice = structs.replace(write, children=(above, structs.replace(reused, children=(events,))))
    ran = replace(execution(None), initial_plan=twice)
    stages = (stage(0, accumulators=frozenset(accumulators)),)
    (query,) = queries(application(ran, stages=stages, accumulators=accumulators))
    (join,) = query.joins
    assert (join.placed, join.left.readers, join.tasks, join.written) == (True, 2, 10, WrittenFiles(600, 6000))
    assert (query.work is None) is (most == 100)


class TestLostEvents:
    """Spark drops events where its listeners fall behind (spark.scheduler.listenerbus.eventqueue.capacity)."""

    TEXT = """
        SortMergeJoin | [k#1], [k#3], Inner | number of output rows=5
          Exchange | hashpartitioning(k#1, 8) | shuffle bytes written=9; shuffle records written=50; records read=50
            Scan parquet default.orders | [k#1] | number of output rows=50; size of files read=900
          Exchange | hashpartitioning(k#3, 8) | shuffle bytes written=9; shuffle records written=7; records read=7
            Scan parquet default.items | [k#3] | number of output rows=7; size of files read=100
    """

    def found(self, *stages: Stage, **fields: object) -> Query:
        accumulators = parse(self.TEXT)[1]
        (query,) = queries(application(execution(self.TEXT, **fields), stages=stages, accumulators=accumulators))
        return query

    def stages(self, **of_the_first: int) -> tuple[Stage, ...]:
        # Accumulators are numbered from the top, line by line.
        numbers = (frozenset({2, 3, 5}), frozenset({7, 8, 10}), frozenset({1, 4, 9}))
        first, *others = (stage(n, accumulators=ids) for n, ids in enumerate(numbers))
        return replace(first, **of_the_first), *others

    def test_what_all_tasks_counted_is_known(self) -> None:
        query = self.found(*self.stages())
        (join,) = query.joins
        assert (join.left.rows, join.right.rows, join.output_rows) == (50, 7, 5)
        assert query.work is not None
        assert join.placed

    @pytest.mark.parametrize("lost", [{"completed_tasks": 9}, {"tasks": 0, "completed_tasks": 3}])
    def test_what_some_tasks_counted_is_not(self, lost: dict[str, int]) -> None:
        query = self.found(*self.stages(**lost))
        (join,) = query.joins
        assert (join.left.rows, join.right.rows, join.output_rows) == (None, 7, 5)
        assert [(s.rows, s.written_bytes, s.lost) for s in query.shuffles] == [(7, 9, False), (None, None, True)]
        assert (query.work, query.aggregates) == (None, ())
        assert not join.placed

    def test_tasks_that_ran_in_a_later_attempt_are_not_lost(self) -> None:
        first, *others = self.stages(completed_tasks=4, failure="FetchFailed")
        again = replace(first, attempt=1, tasks=6, completed_tasks=6, failure=None)
        (join,) = self.found(first, again, *others).joins
        assert join.left.rows == 50

    def test_of_a_query_that_did_not_end_what_is_there_is_told(self) -> None:
        (join,) = self.found(*self.stages(completed_tasks=9), end_ms=None).joins
        assert join.left.rows == 50

    def test_where_tasks_tell_no_metrics_the_files_that_were_to_be_read_are_no_rows(self) -> None:
        of_the_driver = {6: 900, 11: 100}
        stages = (stage(0), stage(1), stage(2))
        (query,) = queries(application(execution(self.TEXT), stages=stages, accumulators=of_the_driver))
        assert [(join.left.rows, join.right.rows, join.output_rows) for join in query.joins] == [(None, None, None)]
        assert query.input_bytes == 1000
