"""A log read in stretches, each by itself, says what it says when it is read in one go."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.eventlog import application_fold as folding
from tuner.eventlog import open_work
from tuner.eventlog.codec import open_plain
from tuner.eventlog.collector import Collector
from tuner.eventlog.events import decode_event
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.read import join_pieces, read_application, read_log, stream_piece
from tuner.model.agent_message import DIRECTIVES
from tuner.model.application import Application, Work
from tuner.plan.lost_counters import lost_counters
from tuner.plan.queries import queries, query_and_plans

from .samples import (
    JOIN,
    ROWS,
    accumulators,
    application_end,
    driver_updates,
    environment,
    event,
    execution_end,
    execution_start,
    fold,
    head,
    job_end,
    job_start,
    plan,
    replan,
    stage_completed,
    stage_submitted,
    task_end,
    task_start,
    whole_log,
    write,
)
from .test_allocation import added, removed
from .test_resources import held

T = TypeVar("T")
SHARED = Path(__file__).parents[3] / "shared" / "eventlogs"
LINES = [
    *head(),
    event("SparkListenerExecutorAdded", Timestamp=1500, Executor_ID="1", Executor_Info={"Total Cores": 4}),
    event("SparkListenerBlockManagerAdded", Block_Manager_ID={"Executor ID": "driver"}, Maximum_Onheap_Memory=1 << 30),
    execution_start(0),
    driver_updates(0, (ROWS, 3)),
    replan(0, plan("Scan orc ")),
    job_start(0, [0]),
    stage_submitted(0),
    task_start(),
    task_start(),
    event("SparkListenerExecutorRemoved", Timestamp=3000, Executor_ID="1"),
    event("SparkListenerExecutorAdded", Timestamp=3000, Executor_ID="2", Executor_Info={"Total Cores": 2}),
    task_end(0, partition=0),
    replan(0, plan("Scan avro ")),
    task_end(0, 30, partition=1, failed=True, reason="ExceptionFailure"),
    stage_completed(0, failure="org.apache.spark.shuffle.FetchFailedException"),
    stage_submitted(0, attempt=1),
    task_start(stage_attempt=1),
    task_end(0, partition=0, stage_attempt=1),
    task_end(1, partition=1, stage_attempt=1),
    task_start(stage_attempt=1),
    stage_completed(0, attempt=1),
    job_start(None, [7], job_id=3),
    execution_end(0),
    job_end(0),
    stage_submitted(7),
    task_end(0, 9, partition=0, stage_id=7),
    execution_start(1),
    job_start(1, [0, 1], job_id=1),
    stage_submitted(1),
    driver_updates(0, (ROWS, 4)),
    task_end(0, 7, partition=1, stage_attempt=1, reason="TaskKilled"),
    task_end(0, 20, partition=0, stage_id=1),
    stage_completed(1),
    stage_completed(7),
    job_end(3),
    job_end(1, error="Job aborted"),
    execution_end(1, error="Job aborted"),
    execution_start(2),
    replan(2, plan("Scan text ")),
    application_end(),
]


def in_pieces(directory: Path) -> Application:
    (source,) = find_logs(directory)
    collector = Collector()
    return collector.into(pieces_into(source, collector.take))


def pieces_into(source: LogSource, take: Callable[[Work], None]) -> Application:
    fragments = [drive(stream_piece(source, position), take) for position in range(len(source.files))]
    sent = [msgspec.msgpack.decode(msgspec.msgpack.encode(fragment), type=Fragment) for fragment in fragments]
    return drive(join_pieces(source, sent), take)


def drive(works: Generator[Work, None, T], take: Callable[[Work], None]) -> T:
    while True:
        try:
            take(next(works))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def rolled(directory: Path, lines: Sequence[bytes], cuts: Sequence[int]) -> Path:
    for file in directory.glob("*"):
        file.unlink()
    bounds = [0, *cuts, len(lines)]
    for index, (start, end) in enumerate(itertools.pairwise(bounds), 1):
        write(directory / f"events_{index}_local-1", lines[start:end])
    return directory


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One directory for hypothesis to write over and over."""
    return tmp_path_factory.mktemp("rolled")


@given(cuts=st.lists(st.integers(1, len(LINES) - 1), max_size=6, unique=True).map(sorted))
def test_wherever_it_is_cut(directory: Path, cuts: list[int]) -> None:
    (source,) = find_logs(rolled(directory, LINES, cuts))
    assert in_pieces(directory) == read_application(source)


@pytest.mark.parametrize("rest", [[0, 1], [0, 1, 2, 3]], ids=["the rest", "all of it"])
def test_before_spark_3_3_wherever_it_is_cut(directory: Path, rest: list[int]) -> None:
    first = [stage_submitted(tasks=4), *(task_start() for _ in range(2)), task_end(0), task_end(1)]
    again = [stage_submitted(attempt=1, tasks=len(rest)), *(task_end(i, stage_attempt=1) for i in rest)]
    lines = [*head(), execution_start(), job_start(), *first, *again, job_end(), execution_end(), application_end()]
    for cut in range(1, len(lines)):
        (source,) = find_logs(rolled(directory, lines, [cut]))
        whole = read_application(source)
        assert whole.executions[0].accumulators == {ROWS: 200}
        assert in_pieces(directory) == whole, cut


class TestAStageOfVeryManyTasks:
    """Those of a later file are added up there, but for a few: to keep each apart would take gigabytes."""

    FIRST = (*(task_end(index, partition=index) for index in range(4)), task_end(3, partition=3, reason="Resubmitted"))
    REST = tuple(task_end(index, 10 * index, partition=index) for index in range(4, 12))

    @pytest.fixture(autouse=True)
    def few_stay_apart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(open_work, "_MOST_APART", 3)

    def lines(self, *rest: bytes) -> list[bytes]:
        ran = [stage_submitted(tasks=12), *self.FIRST, *rest, stage_completed(tasks=12)]
        return [*head(), execution_start(), job_start(), *ran, job_end(), execution_end(), application_end()]

    def test_is_what_it_is_in_one_go(self, directory: Path) -> None:
        for lines in (self.lines(*self.REST), self.lines(task_end(3, 7, partition=3), *self.REST)):
            for cuts in itertools.combinations(range(5, len(lines) - 3), 2):
                (source,) = find_logs(rolled(directory, lines, cuts))
                whole = read_application(source)
                assert accumulators(whole) == {ROWS: 4 * 50 + 10 * sum(range(4, 12))}
                assert in_pieces(directory) == whole, cuts

    def test_is_not_known_where_a_task_of_it_counted_before(self, directory: Path) -> None:
        lines = self.lines(*self.REST, task_end(3, 7, partition=3))
        application = in_pieces(rolled(directory, lines, [11]))
        assert lost_counters(application.stages) == {ROWS}
        assert not lost_counters(in_pieces(rolled(directory, lines, [6])).stages)

    def test_takes_little(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(folding, "_MAX_OPEN_BYTES", 10_000)
        piece = folding.ApplicationFold("log", lambda _: None, piece=True)
        for line in (task_end(index, partition=index) for index in range(5000)):
            if task := decode_event(line):
                piece.add(task)
        piece.weigh()
        assert piece.fragment.stages[0].updates == {ROWS: (5000 - 3) * 50}


def test_where_the_start_of_a_job_is_lost_wherever_it_is_cut(directory: Path) -> None:
    ran = [stage_submitted(3, execution_id=0), task_end(0, stage_id=3, partition=0), stage_completed(3)]
    lines = [*head(), execution_start(), *ran, job_end(), execution_end(), *LATER, application_end()]
    for cut in range(1, len(lines) - len(LATER)):
        (source,) = find_logs(rolled(directory, lines, [cut]))
        whole = read_application(source)
        assert whole.executions[0].accumulators == {ROWS: 50}
        assert in_pieces(directory) == whole, cut


@given(lines=st.permutations(LINES), cuts=st.lists(st.integers(1, len(LINES) - 1), max_size=3, unique=True).map(sorted))
def test_whatever_its_order_nothing_is_lost(directory: Path, lines: list[bytes], cuts: list[int]) -> None:
    application = in_pieces(rolled(directory, lines, cuts))
    assert [e.execution_id for e in application.executions] == [0, 1, 2]
    assert [j.job_id for j in application.jobs] == [0, 1, 3]
    assert [(s.stage_id, s.attempt) for s in application.stages] == [(0, 0), (0, 1), (1, 0), (7, 0)]
    assert sum(s.input_bytes for s in application.stages) == 7 * 1000


LATER = [event("SparkListenerExecutorRemoved", Timestamp=5000, Executor_ID=str(number)) for number in range(1100)]


def directed_head() -> list[bytes]:
    """Of an application whose query is told to broadcast one side of its join."""
    (query,) = queries(fold([*head(), execution_start(sparkPlanInfo=JOIN), execution_end(), application_end()]))
    hint = {"id": "hint_join:a", "join": query.joins[0].signature, "hint": "BROADCAST", "side": ["db.right"]}
    told = {"fingerprint": query.fingerprint, "relations": ["db.left", "db.right"], "hints": [hint], "orders": []}
    message = json.dumps({"version": 3, "queries": [told]})
    return [*head()[:2], environment(**{"spark.app.id": "local-1", "spark.driver.memory": "3g", DIRECTIVES: message})]


def plan_steered(fingerprint: str, execution_id: int = 0) -> bytes:
    outcomes = [{"id": "hint_join:a", "status": "applied", "reason": ""}]
    said = {"fingerprint": fingerprint, "outcomes": outcomes, "literals": "0123456789abcdef"}
    return event("tuner.steering.agent.PlanSteered", executionId=execution_id, **said)


def told(works: Iterable[Work]) -> list[tuple[object, ...]]:
    """What the works say of each execution and of what it was directed to do."""
    found = []
    for work in works:
        if work.execution and (one := query_and_plans(work.execution, work.stages, work.steering)):
            query = one[0]
            found.append((query.id, query.literals, query.directives, work.execution.values, dict(work.conf)))
    return sorted(found)


def works_in_pieces(directory: Path) -> list[Work]:
    works: list[Work] = []
    (source,) = find_logs(directory)
    pieces_into(source, works.append)
    return works


def works_in_one_go(directory: Path) -> list[Work]:
    works: list[Work] = []
    (source,) = find_logs(directory)
    read_log(source, works.append)
    return works


class TestWhatAnExecutionWasDirectedToDo:
    """Told at the log's beginning, and by the agent, most often before the execution starts."""

    @pytest.mark.parametrize("execution_id", [0, -1], ids=["of the execution", "before there was one"])
    @pytest.mark.parametrize(
        "cut", [3, 4, 5], ids=["said after the cut", "said before it", "said and started before it"]
    )
    def test_is_told_whichever_file_says_it(self, directory: Path, execution_id: int, cut: int) -> None:
        (query,) = queries(fold([*head(), execution_start(sparkPlanInfo=JOIN), execution_end(), application_end()]))
        ran = [execution_start(sparkPlanInfo=JOIN), driver_updates(0, (ROWS, 7)), execution_end()]
        lines = [*directed_head(), plan_steered(query.fingerprint, execution_id), *ran, *LATER, application_end()]
        whole = told(works_in_one_go(rolled(directory, lines, [cut])))
        ((_, literals, (outcome,), *_),) = whole
        assert literals == "0123456789abcdef"
        assert (outcome.status, outcome.reason) == ("ignored", "told BROADCAST of right; Spark ran SortMergeJoin")
        assert told(works_in_pieces(directory)) == whole

    @pytest.mark.parametrize("is_loaded", [True, False])
    def test_and_not_done_is_told_in_each_file(self, directory: Path, is_loaded: bool) -> None:
        agent = [event("tuner.steering.agent.AgentLoaded", version=1)] if is_loaded else []
        ran = [part for n in range(3) for part in (execution_start(n, sparkPlanInfo=JOIN), execution_end(n), *LATER)]
        lines = [*directed_head(), *agent, *ran, application_end()]
        whole = told(works_in_one_go(rolled(directory, lines, [1500, 3000])))
        assert [outcome.status for _, _, outcomes, *_ in whole for outcome in outcomes] == [
            "impossible" if is_loaded else "ignored"
        ] * 3
        assert told(works_in_pieces(directory)) == whole


@pytest.mark.parametrize("cut", [4, 5, 7, 8, 10])
def test_the_heap_of_an_executor_that_is_gone_is_of_all_files(directory: Path, cut: int) -> None:
    coming, going = added("1", 2000), removed("1", 70_000)
    heap = [held("1", 4, 2600, 2500), held("1", 60, 3000, 2800, took=55), held("1", 61, 2700, 2600)]
    others = [line for number in range(2, 1102) for line in (added(str(number), 70_000), removed(str(number), 70_000))]
    lines = [*head(), coming, *heap, going, held("1", 62, 2900, 2600), *others, application_end()]
    (source,) = find_logs(rolled(directory, lines, [cut]))
    whole = read_application(source)
    assert whole.resources.firm_bytes == 500 << 20
    assert in_pieces(directory) == whole


def test_each_file_knows_the_conf_of_its_application(directory: Path) -> None:
    lines = repeated(300)
    rolled(directory, lines, [1000, 3000])
    confs = [(dict(work.conf), work.spark_version) for work in works_in_pieces(directory)]
    assert confs == [(dict(work.conf), work.spark_version) for work in works_in_one_go(directory)]
    assert confs[0] == ({"spark.app.id": "local-1", "spark.master": "local[2]"}, "4.3.0")


def test_a_later_conf_is_not_undone_by_the_first(directory: Path) -> None:
    lines = repeated(300)
    lines.insert(500, environment(**{"spark.master": "yarn"}))
    assert in_pieces(rolled(directory, lines, [1000, 3000])).conf["spark.master"] == "yarn"


def test_what_comes_late_to_an_execution_does_not_open_it_again(directory: Path) -> None:
    late = [driver_updates(0, (ROWS, 7)), *LATER[:1]]
    lines = [*whole_log()[:-1], *LATER, *late, *of_old_thread(0, range(9, 10)), application_end()]
    first = len(lines) - len(late) - 7
    for cuts in ([first], [first, first + len(late)], [first + 1]):
        (source,) = find_logs(rolled(directory, lines, cuts))
        whole = read_application(source)
        assert [job.execution_id for job in whole.jobs] == [0, None]
        assert in_pieces(directory) == whole


@functools.cache
def lines_of(name: str) -> list[bytes]:
    with (SHARED / name).open("rb") as raw:
        return open_plain(raw, name).readlines()  # type: ignore[arg-type]


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there")
@pytest.mark.parametrize("name", ["nds_q72_dataproc_2_2.zstd", "db_subExecution_id.zstd", "eventlog_dsv2.zstd"])
@pytest.mark.parametrize("pieces", [2, 7, 40])
def test_real_logs_in_pieces(directory: Path, name: str, pieces: int) -> None:
    lines = lines_of(name)
    cuts = sorted({len(lines) * i // pieces for i in range(1, pieces)} - {0})
    (source,) = find_logs(rolled(directory, lines, cuts))
    whole = read_application(source)
    assert in_pieces(directory) == whole
    assert whole.executions and whole.stages


def repeated(times: int) -> list[bytes]:
    """A log of many executions, one after the other."""
    body = []
    for number in range(times):
        body += [
            execution_start(number),
            replan(number, plan("Scan orc ", text="x" * 5000)),
            job_start(number, [number], job_id=number),
            stage_submitted(number),
            *(task_start(number) for _ in range(5)),
            *(task_end(i, partition=i, stage_id=number) for i in range(5)),
            stage_completed(number),
            job_end(number),
            execution_end(number),
        ]
    return [*head(), *body, application_end()]


def test_what_has_finished_is_handed_on_and_let_go(tmp_path: Path) -> None:
    open_at_once, works = handed_on(write(tmp_path / "local-1", repeated(500)))
    assert (
        [work.execution.execution_id for work in works if work.execution] == list(range(500)) == list(range(len(works)))
    )
    # 17 events each: those that ended within the last thousand linger.
    assert max(open_at_once) <= 3 * (1000 // 17 + 2)


def test_what_has_ended_does_not_wait_for_long_after_large_plans(tmp_path: Path) -> None:
    large = plan("Scan orc ", text="x" * 1_000_000)
    ran = [part for n in range(100) for part in (execution_start(n, sparkPlanInfo=large), execution_end(n))]
    open_at_once, works = handed_on(write(tmp_path / "local-1", [*head(), *ran, application_end()]))
    assert len(works) == 100
    # An event counts once more for each 32 KB of it.
    assert max(open_at_once) <= (32 << 20) // 1_000_000 + 2


def handed_on(log: Path) -> tuple[list[int], list[Work]]:
    """What the reader hands on of a whole log, and how much it keeps open each time."""
    (source,) = find_logs(log)
    open_at_once, works = [], []

    def take(work: Work) -> None:
        open_at_once.append(len(gone.fragment.executions) + len(gone.fragment.stages) + len(gone.fragment.jobs))
        works.append(work)

    gone = folding.ApplicationFold("", lambda _: None)
    original = folding.ApplicationFold.__init__

    def watched(self: folding.ApplicationFold, *args: object, **options: object) -> None:
        nonlocal gone
        gone = self
        original(self, *args, **options)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding.ApplicationFold, "__init__", watched)
        application = read_log(source, take)
    assert application.status == "complete"
    return open_at_once, works


def of_old_thread(execution_id: int, jobs: range) -> list[bytes]:
    """Jobs of a thread that was made in an execution and still carries its id."""
    ran: list[bytes] = []
    for number in jobs:
        ran += [job_start(execution_id, [number], job_id=number), stage_submitted(number), task_start(number)]
        ran += [task_end(0, partition=0, stage_id=number), stage_completed(number), job_end(number)]
    return ran


def test_jobs_that_carry_the_id_of_an_execution_handed_on_are_of_none_and_let_go(tmp_path: Path) -> None:
    lines = repeated(100)
    lines[-1:-1] = of_old_thread(3, range(100, 1100))
    open_at_once, works = handed_on(write(tmp_path / "local-1", lines))
    late = [work for work in works if work.execution is None]
    assert [job.job_id for work in late for job in work.jobs] == list(range(100, 1100))
    assert {stage.execution_id for work in late for stage in work.stages} == {None}
    assert {job.execution_id for work in late for job in work.jobs} == {None}
    assert max(open_at_once) <= 2 * (1000 // 6 + 2)


def test_so_they_are_in_pieces(directory: Path) -> None:
    lines = repeated(200)
    lines[-1:-1] = of_old_thread(3, range(200, 400))
    (source,) = find_logs(rolled(directory, lines, [1700, 3000, len(lines) - 700]))
    whole = read_application(source)
    assert [stage.stage_id for stage in whole.stages if stage.execution_id is None] == list(range(200, 400))
    assert in_pieces(directory) == whole


def test_what_a_killed_task_reports_after_the_end_still_counts(tmp_path: Path) -> None:
    lines = repeated(200)
    started = lines.index(stage_submitted(3)) + 1
    lines.insert(started, task_start(3))  # a speculative copy, killed long after its query has ended
    lines.insert(-1, task_end(2, partition=2, stage_id=3, reason="TaskKilled", run_time_ms=12_345))
    (source,) = find_logs(write(tmp_path / "local-1", lines))
    application = read_application(source)
    assert [s.executor_run_time_ms for s in application.stages[:5]] == [50, 50, 50, 50 + 12_345, 50]
    assert len(application.stages) == 200


def test_a_plan_that_runs_twice_counts_each_time_for_itself(tmp_path: Path) -> None:
    """Its operators keep their accumulators; Spark resets them before each run."""
    second = [execution_start(1), job_start(1, [1], job_id=1), stage_submitted(1)]
    tail = [*second, task_end(0, 30, partition=0, stage_id=1), job_end(1), execution_end(1), application_end()]
    (source,) = find_logs(write(tmp_path / "local-1", [*whole_log()[:-1], *tail]))
    assert [e.accumulators for e in read_application(source).executions] == [{ROWS: 100}, {ROWS: 30}]
