"""Events to one application: what is added up, what counts once, and what only the last one says."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tuner.eventlog.application_fold import ApplicationFold
from tuner.eventlog.events import decode_event
from tuner.model.application import Application, Executors, JobStatus, Stage, Work

from .samples import (
    BYTES,
    ROWS,
    accumulators,
    application_end,
    application_start,
    driver_updates,
    environment,
    event,
    execution_end,
    execution_start,
    fold,
    head,
    job_end,
    job_start,
    log_start,
    plan,
    replan,
    stage_completed,
    stage_submitted,
    task_end,
    whole_log,
)


def with_tasks(*tasks: bytes, tail: Iterable[bytes] = ()) -> Application:
    return fold([*head(), execution_start(), job_start(), stage_submitted(), *tasks, *tail])


def only_stage(application: Application) -> Stage:
    (stage,) = application.stages
    return stage


class TestApplication:
    def test_attempt_and_times(self) -> None:
        application = fold([log_start(), application_start("application_1_0001", attempt="2"), application_end()])
        assert (application.app_id, application.attempt) == ("application_1_0001", "2")
        assert (application.start_ms, application.end_ms, application.status) == (1000, 9000, "complete")

    def test_id_and_name_come_from_the_properties_where_the_start_is_missing(self) -> None:
        application = fold([environment(**{"spark.app.id": "app-7", "spark.app.name": "nightly"})])
        assert (application.app_id, application.app_name, application.status) == ("app-7", "nightly", "partial")

    def test_executors_are_counted_at_their_peak(self) -> None:
        def added(name: str, cores: int = 4) -> bytes:
            return event("SparkListenerExecutorAdded", Executor_ID=name, Executor_Info={"Total Cores": cores})

        def removed(name: str) -> bytes:
            return event("SparkListenerExecutorRemoved", Executor_ID=name)

        yarn = environment(**{"spark.master": "yarn", "spark.executor.memory": "8g"})
        application = fold([yarn, added("1"), added("2"), added("3"), removed("1"), added("4"), removed("2")])
        assert application.executors == Executors(cores=4, memory_bytes=8 << 30, count=3)

    def test_local_mode_has_the_drivers_heap(self) -> None:
        local = environment(**{"spark.master": "local[2]", "spark.driver.memory": "3g", "spark.executor.memory": "8g"})
        assert fold([local]).executors.memory_bytes == 3 << 30

    @pytest.mark.parametrize(
        ("conf", "on_heap", "heap"),
        [
            ({}, None, 1 << 30),
            ({"spark.driver.memory": "16g"}, None, 16 << 30),
            # A program has set it in code: a JVM of 1 GiB.
            ({"spark.driver.memory": "16g"}, 455_501_414, 1_073_741_823),
            # Databricks, as the shared log has it.
            ({}, 3_585_815_347, 6_290_931_712),
            ({"spark.memory.fraction": "0.9"}, 3_585_815_347, 4_298_812_074),
            # Survivor spaces left out, as a parallel collector has them: 30g and 5g.
            ({"spark.driver.memory": "30g"}, 16_991_335_219, 30 << 30),
            ({"spark.driver.memory": "5g"}, 2_674_812_518, 5 << 30),
            ({"spark.driver.memory": "50G"}, 32_023_511_040, 50 << 30),
            # Damage.
            ({"spark.driver.memory": "2g"}, -1, 2 << 30),
            ({"spark.driver.memory": "2g", "spark.memory.fraction": "0"}, 434_320_793, 2 << 30),
            ({}, (1 << 63) - 1, (1 << 62) - 1),
        ],
    )
    def test_a_drivers_heap_is_as_its_block_manager_has_it(
        self, conf: dict[str, str], on_heap: int | None, heap: int
    ) -> None:
        def added(name: str, storage: int | None) -> bytes:
            return event(
                "SparkListenerBlockManagerAdded",
                Block_Manager_ID={"Executor ID": name},
                **({} if storage is None else {"Maximum_Onheap_Memory": storage}),
            )

        lines = [*head(), added("driver", on_heap), added("1", 7), environment(**conf)]
        told = fold(lines)
        assert (told.driver_memory_bytes, told.executors.memory_bytes) == (heap, heap)


class TestExecution:
    def test_the_last_plan_wins(self) -> None:
        replans = [replan(0, plan(name)) for name in ("Scan orc ", "Scan avro ", "Scan text ")]
        for lines in (replans, [*replans, execution_end()]):
            (execution,) = fold([*head(), execution_start(), *lines]).executions
            assert execution.initial_plan is not None and execution.initial_plan.name == "Scan parquet "
            assert execution.final_plan is not None and execution.final_plan.name == "Scan text "

    def test_without_aqe_there_is_no_final_plan(self) -> None:
        assert fold([execution_start(), execution_end()]).executions[0].final_plan is None

    @pytest.mark.parametrize(
        ("details", "asks"),
        [
            ("org.apache.spark.sql.Dataset.isEmpty(Dataset.scala:653)\njob.Secret.main(Secret.java:7)", True),
            ("org.apache.spark.sql.classic.Dataset.isEmpty(Dataset.scala:557)\njob.Secret.main(Secret.java:7)", False),
            ("job.Secret.main(Secret.java:7)\norg.apache.spark.sql.Dataset.isEmpty(Dataset.scala:653)", False),
            ("", False),
            (None, False),
        ],
    )
    def test_of_the_place_of_a_call_only_is_empty_is_kept(self, details: str | None, asks: bool) -> None:
        application = fold([execution_start(details=details)])
        assert [execution.asks_if_empty for execution in application.executions] == [asks]
        assert "Secret" not in repr(application)

    def test_it_is_open_until_it_ends(self) -> None:
        (execution,) = fold([execution_start()]).executions
        assert (execution.end_ms, execution.error) == (None, None)

    def test_its_error_is_told_and_an_empty_one_is_none(self) -> None:
        lines = [
            execution_start(1),
            execution_start(2),
            execution_end(1, error="[DIVIDE_BY_ZERO] oops"),
            execution_end(2),
        ]
        assert [e.error for e in fold(lines).executions] == ["[DIVIDE_BY_ZERO] oops", None]

    def test_its_error_is_that_of_its_failed_job_where_its_end_tells_none(self) -> None:
        def ended(end: bytes) -> str | None:
            (execution,) = fold([execution_start(), job_start(), job_end(error="Task 3 failed"), end]).executions
            return execution.error

        old = execution_end().replace(b',"errorMessage":""', b"")
        assert b"errorMessage" not in old
        assert ended(old) == "Task 3 failed"
        assert ended(execution_end()) is None

    def test_its_end_may_come_before_its_jobs(self) -> None:
        application = fold([execution_start(), job_start(), execution_end(), stage_submitted(), task_end(0)])
        assert application.executions[0].stage_ids == (0,)
        assert accumulators(application) == {ROWS: 50}

    def test_jobs_that_begin_after_its_end_are_none_of_its(self) -> None:
        """Whoever takes a result row by row asks for its partitions later: toLocalIterator, the Thrift server."""
        late = job_start(0, [1], 1).replace(b'"Submission Time": 2500', b'"Submission Time": 8001')
        own = [execution_start(), job_start(0, [0]), stage_submitted(), task_end(0, 50), job_end(), execution_end()]
        for lines in ([*own, late, stage_submitted(1), task_end(0, 7, stage_id=1)], [*own, late]):
            application = fold(lines)
            assert [job.execution_id for job in application.jobs] == [0, None]
            assert accumulators(application) == {ROWS: 50}

    def test_sub_executions_name_their_root(self) -> None:
        sub = execution_start(6).replace(b'"rootExecutionId":6', b'"rootExecutionId":5')
        old = execution_start(7).replace(b'"rootExecutionId":7,', b"")  # before 3.4
        assert [e.root_execution_id for e in fold([execution_start(5), sub, old]).executions] == [5, 5, 7]

    def test_its_estimates_are_kept_of_the_plan_as_text_and_the_rest_let_go(self) -> None:
        text = "== Optimized Logical Plan ==\nProject [a#1], Statistics(sizeInBytes=8.0 B)\n\n== Physical Plan ==\nScan"
        application = fold(
            [execution_start(1, physicalPlanDescription=text), execution_start(2, physicalPlanDescription="x")]
        )
        assert [e.logical_plan for e in application.executions] == [
            "Project [a#1], Statistics(sizeInBytes=8.0 B)",
            None,
        ]

    def test_its_metrics_are_what_its_own_jobs_and_driver_added_up(self) -> None:
        # Both plans show the operators below a cache: the first execution fills it, the second reads it.
        first = [execution_start(0), job_start(0, [0]), stage_submitted(), task_end(0, 50), job_end()]
        second = [execution_start(1), job_start(1, [0], 1), driver_updates(1, (BYTES, 9)), job_end(1)]
        assert [e.accumulators for e in fold([*first, *second]).executions] == [{ROWS: 50}, {BYTES: 9}]

    def test_executions_that_wait_for_the_same_stage_both_have_its_metrics(self) -> None:
        running = [execution_start(0), job_start(0, [0]), stage_submitted()]
        joining = [execution_start(1), job_start(1, [0], 1, Stage_Infos=[{"Stage ID": 0}]), task_end(0, 50)]
        assert [e.accumulators for e in fold([*running, *joining]).executions] == [{ROWS: 50}, {ROWS: 50}]


class TestJobs:
    def test_a_job_has_its_times_its_stages_and_the_execution_it_serves(self) -> None:
        (job,) = fold([execution_start(3), job_start(3, [4, 5], 7), job_end(7)]).jobs
        assert (job.job_id, job.execution_id, job.stage_ids) == (7, 3, (4, 5))
        assert (job.submitted_ms, job.completed_ms) == (2500, 7500)
        assert (job.status, job.failure) == (JobStatus.SUCCEEDED, None)

    def test_its_tasks_are_those_of_the_stages_that_no_earlier_job_completed(self) -> None:
        stages = [{"Number of Tasks": 200, "Completion Time": 2400}, {"Number of Tasks": 8}, {"Number of Tasks": 1}]
        (job,) = fold([job_start(None, [4, 5, 6], Stage_Infos=stages)]).jobs
        assert (job.execution_id, job.tasks, job.skipped_tasks) == (None, 9, 0)

    def test_it_counts_the_tasks_of_its_stages_by_how_they_ended(self) -> None:
        stages = [{"Stage ID": 0, "Number of Tasks": 2}, {"Stage ID": 5, "Number of Tasks": 30}]
        failures = {"ExceptionFailure": True, "Resubmitted": False, "TaskKilled": False, "TaskCommitDenied": False}
        tasks = [task_end(0), task_end(1), *(task_end(1, failed=f, reason=r) for r, f in failures.items())]
        again = task_end(1, stage_attempt=1)
        own = [job_start(0, [5, 0], Stage_Infos=stages), stage_submitted(), *tasks, stage_submitted(attempt=1), again]
        (job, other) = fold([*own, job_end(), job_start(0, [0], job_id=1), job_end(1)]).jobs
        assert (job.completed_tasks, job.failed_tasks, job.killed_tasks, job.skipped_tasks) == (3, 2, 2, 30)
        assert (other.completed_tasks, other.failed_tasks, other.killed_tasks) == (0, 0, 0)

    def test_a_stage_it_skipped_is_skipped_though_its_output_was_lost_later(self) -> None:
        listed = [{"Stage ID": 0, "Number of Tasks": 2}, {"Stage ID": 5, "Number of Tasks": 30}]
        skipped = job_start(0, [0, 5], Stage_Infos=listed)
        lost = [stage_submitted(5), stage_submitted(0, attempt=1), task_end(0, stage_attempt=1), job_end()]
        (job,) = fold([skipped, *lost]).jobs
        assert (job.completed_tasks, job.skipped_tasks) == (1, 2)

    def test_it_is_unfinished_until_it_ends(self) -> None:
        (job,) = fold([job_start()]).jobs
        assert (job.status, job.submitted_ms, job.completed_ms) == (JobStatus.UNFINISHED, 2500, None)

    def test_its_failure_is_told_without_what_a_message_may_quote(self) -> None:
        error = "Job aborted: can't read 's3://bucket/key'\nDriver stacktrace:"
        (job,) = fold([job_start(), job_end(error=error)]).jobs
        assert (job.status, job.failure) == (JobStatus.FAILED, "Job aborted: can't read '?' Driver stacktrace:")

    def test_a_job_that_ends_without_having_started_is_none(self) -> None:
        assert fold([job_end(1)]).jobs == ()


class TestTasks:
    def test_rows_of_all_tasks_are_added_up(self) -> None:
        assert accumulators(with_tasks(task_end(0, 50), task_end(1, 25))) == {ROWS: 75}

    def test_a_speculative_copy_counts_once(self) -> None:
        for partition in (None, 0):
            twice = with_tasks(task_end(0, partition=partition), task_end(0, partition=partition))
            assert accumulators(twice) == {ROWS: 50}, partition

    def test_a_killed_copy_does_not_count(self) -> None:
        killed = task_end(0, 30, partition=0, reason="TaskKilled")
        assert accumulators(with_tasks(killed, task_end(0, partition=0))) == {ROWS: 50}

    def test_failed_tasks_rows_do_not_count(self) -> None:
        failed = task_end(0, 30, partition=0, failed=True, reason="ExceptionFailure")
        application = with_tasks(failed, task_end(0, partition=0))
        assert accumulators(application) == {ROWS: 50}
        assert only_stage(application).failed_tasks == 1

    def test_partitions_recomputed_by_a_later_attempt_of_the_stage_count_once(self) -> None:
        first = [task_end(i, partition=i) for i in range(4)]
        lost = [task_end(0, partition=2, stage_attempt=1), task_end(1, partition=3, stage_attempt=1)]
        assert accumulators(with_tasks(*first, *lost)) == {ROWS: 200}

    def test_partitions_left_to_a_later_attempt_of_the_stage_do_count(self) -> None:
        first = [task_end(0, partition=0), task_end(1, partition=1)]
        rest = [task_end(0, partition=2, stage_attempt=1), task_end(1, partition=3, stage_attempt=1)]
        assert accumulators(with_tasks(*first, *rest)) == {ROWS: 200}

    @pytest.mark.parametrize(
        ("before", "after", "rows"),
        [
            # Spark numbers the tasks of a later attempt anew, and before 3.3 does not say which partitions they are of.
            ([0, 1], [0, 1], 200),
            ([0, 1, 2, 3], [0, 1], 200),
            ([0, 1], [0, 1, 2], 200),
            ([0, 1], [0, 0, 1], 200),
            ([2], [0, 1], 150),
        ],
        ids=[
            "the rest",
            "what was lost",
            "the rest and one that was lost",
            "with a speculative copy",
            "not all of the rest",
        ],
    )
    def test_that_tell_no_partition_count_up_to_the_number_of_tasks(
        self, before: list[int], after: list[int], rows: int
    ) -> None:
        first = [stage_submitted(tasks=4), *(task_end(index) for index in before)]
        again = [stage_submitted(attempt=1, tasks=len(after)), *(task_end(i, stage_attempt=1) for i in after)]
        lines = [*head(), execution_start(), job_start(), *first, *again]
        assert accumulators(fold(lines)) == {ROWS: rows}

    def test_numbers_written_as_text_are_numbers(self) -> None:
        assert accumulators(with_tasks(task_end(0, rows="50"))) == {ROWS: 50}

    def test_a_measured_zero_is_zero(self) -> None:
        assert accumulators(with_tasks(task_end(0, rows="0"), task_end(1, rows=0))) == {ROWS: 0}

    def test_a_value_that_is_no_number_is_none(self) -> None:
        for value in (b'"N/A"', b"null", b"[1]"):
            assert accumulators(with_tasks(task_end(0).replace(b'"Update": 50', b'"Update": ' + value))) == {}, value

    def test_metrics_that_were_never_set_are_ignored(self) -> None:
        application = with_tasks(task_end(0, rows=-1, run_time_ms=-1, **{"Disk Bytes Spilled": -1}))
        assert accumulators(application) == {}
        stage = only_stage(application)
        assert (stage.executor_run_time_ms, stage.disk_spilled_bytes) == (0, 0)

    def test_stage_completion_does_not_count_a_second_time(self) -> None:
        final = stage_completed().replace(b'{"ID": 101, ', b'{"ID": 101, "Value": 50, ')
        assert accumulators(with_tasks(task_end(0), tail=[final])) == {ROWS: 50}

    def test_driver_updates_are_merged_and_unset_ones_ignored(self) -> None:
        application = fold(
            [
                execution_start(),
                driver_updates(0, (ROWS, 1), (ROWS, 2), (BYTES, -1)),
                driver_updates(0, (ROWS, 4), (BYTES, 9)),
            ]
        )
        assert accumulators(application) == {ROWS: 7, BYTES: 9}


class TestStages:
    def test_totals_include_every_attempt_of_every_task(self) -> None:
        failed = task_end(0, 30, partition=0, failed=True, reason="ExceptionFailure", run_time_ms=100)
        copy = task_end(1, partition=1, reason="TaskKilled", run_time_ms=1000)
        application = with_tasks(
            failed, task_end(0, partition=0), task_end(1, partition=1), copy, tail=[stage_completed()]
        )
        stage = only_stage(application)
        assert (stage.tasks, stage.completed_tasks, stage.failed_tasks, stage.killed_tasks) == (2, 2, 1, 1)
        assert stage.executor_run_time_ms == 10 + 10 + 100 + 1000
        assert stage.executor_cpu_time_ns == 1_120_000_000
        assert (stage.input_bytes, stage.input_records) == (4000, 180)
        assert (stage.shuffle_read_bytes, stage.shuffle_read_records) == (28, 20)
        assert (stage.shuffle_write_bytes, stage.shuffle_write_records) == (24, 28)
        assert (stage.memory_spilled_bytes, stage.disk_spilled_bytes) == (36, 44)
        assert (stage.output_bytes, stage.output_records) == (32, 48)

    def test_each_attempt_of_a_stage_stands_for_itself(self) -> None:
        application = fold(
            [
                execution_start(),
                job_start(),
                stage_submitted(attempt=0),
                task_end(0, partition=0),
                stage_completed(attempt=0, failure="org.apache.spark.shuffle.FetchFailedException"),
                stage_submitted(attempt=1),
                task_end(0, partition=0, stage_attempt=1),
                task_end(1, partition=1, stage_attempt=1),
                stage_completed(attempt=1),
            ]
        )
        assert [(s.attempt, s.executor_run_time_ms, s.execution_id) for s in application.stages] == [
            (0, 10, 0),
            (1, 20, 0),
        ]
        assert [s.failure for s in application.stages] == ["org.apache.spark.shuffle.FetchFailedException", None]
        assert application.executions[0].stage_ids == (0,)
        assert accumulators(application) == {ROWS: 100}

    def test_the_operators_that_ran_in_it_are_those_whose_metrics_it_updated(self) -> None:
        assert only_stage(fold(whole_log())).accumulator_ids == frozenset({ROWS})

    def test_where_its_completion_is_lost_its_tasks_tell_them(self) -> None:
        lines = [line for line in whole_log() if b"StageCompleted" not in line]
        assert only_stage(fold(lines)).accumulator_ids == frozenset({ROWS})

    def test_it_belongs_to_the_execution_whose_job_listed_it_first(self) -> None:
        reused = [execution_start(0), execution_start(1), job_start(0, [0]), job_start(1, [0, 1]), stage_submitted(0)]
        assert only_stage(fold(reused)).execution_id == 0

    def test_the_jobs_it_was_run_for_are_those_that_waited_for_it(self) -> None:
        jobs = [job_start(0, [0], job_id=n) for n in (1, 2, 3)]
        application = fold([jobs[0], job_end(1), jobs[1], jobs[2], stage_submitted(0), job_start(0, [0], job_id=4)])
        assert only_stage(application).job_ids == (2, 3)

    def test_where_the_start_of_its_job_is_lost_it_says_itself_whose_it_is(self) -> None:
        ran = [stage_submitted(3, execution_id=0), task_end(0, stage_id=3), stage_completed(3)]
        application = fold([execution_start(), *ran, job_end(), execution_end(), execution_start(1)])
        assert [stage.execution_id for stage in application.stages] == [0]
        assert accumulators(application) == {ROWS: 50}
        assert application.executions[0].stage_ids == (3,)

    def test_it_says_so_of_an_execution_that_is_over_in_vain(self) -> None:
        late = stage_submitted(3, execution_id=0).replace(b'"Submission Time": 3000', b'"Submission Time": 8001')
        assert only_stage(fold([execution_start(), execution_end(), late])).execution_id is None

    def test_its_jobs_execution_beats_its_own(self) -> None:
        lines = [execution_start(0), execution_start(1), job_start(1, [3]), stage_submitted(3, execution_id=0)]
        assert only_stage(fold(lines)).execution_id == 1

    def test_it_may_belong_to_no_sql_execution(self) -> None:
        assert only_stage(fold([job_start(None), stage_submitted()])).execution_id is None

    def test_a_task_of_a_stage_that_was_never_submitted_is_kept(self) -> None:
        assert only_stage(fold([task_end(0)])).executor_run_time_ms == 10


class TestLongestTask:
    def test_its_time_and_what_it_read(self) -> None:
        read = {
            "Shuffle Read Metrics": {"Remote Bytes Read": 30, "Local Bytes Read": 4},
            "Input Metrics": {"Bytes Read": 7},
        }
        stage = only_stage(with_tasks(task_end(0, run_time_ms=5), task_end(1, run_time_ms=90, **read), task_end(2)))
        assert (stage.longest_task_ms, stage.longest_task_bytes) == (90, 41)

    def test_the_most_that_one_wrote(self) -> None:
        ends = [
            task_end(0, run_time_ms=90, **{"Shuffle Write Metrics": {"Shuffle Bytes Written": 3}}),
            task_end(1, run_time_ms=5, **{"Shuffle Write Metrics": {"Shuffle Bytes Written": 8}}),
            task_end(2),
        ]
        stage = only_stage(with_tasks(*ends))
        assert (stage.most_written_bytes, stage.shuffle_write_bytes) == (
            8,
            17,
        )  # six are written where a test says nothing

    def test_of_those_that_succeeded(self) -> None:
        failed = task_end(1, run_time_ms=90, failed=True, reason="ExceptionFailure")
        assert only_stage(with_tasks(task_end(0, run_time_ms=5), failed)).longest_task_ms == 5


def test_work_comes_with_what_is_known_of_its_application() -> None:
    found: list[Work] = []
    application = ApplicationFold("log", found.append)
    lines = [*head(), environment(**{"spark.driver.memory": "3g", "spark.x.secret": "x"}), *whole_log()[len(head()) :]]
    for line in lines:
        if (decoded := decode_event(line)) is not None:
            application.add(decoded)
    application.close()
    assert {(work.conf.get("spark.driver.memory"), work.spark_version) for work in found} == {("3g", "4.3.0")}
    assert not any("spark.x.secret" in work.conf for work in found)
