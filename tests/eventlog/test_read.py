"""Damaged, cut and foreign files: never an exception, all before the damage kept, each problem with its place."""

from __future__ import annotations

import functools
import gzip
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.eventlog import read as reading
from tuner.eventlog.find import LogSource
from tuner.eventlog.read import MAX_PROBLEMS_PER_FILE, read_application
from tuner.model.application import Application, Completeness, ProblemCode

from .samples import (
    ROWS,
    accumulators,
    event,
    execution_start,
    fold,
    head,
    job_end,
    plan,
    read,
    replan,
    sql_event,
    task_end,
    whole_log,
    with_field,
    write,
    zstd,
)

LINES = [*whole_log()[:6], replan(0, plan("Scan orc ")), *whole_log()[6:]]
PLAIN, FRAMES = b"".join(LINES), zstd(LINES)
COMPLETE, PARTIAL, FAILED = Completeness.COMPLETE, Completeness.PARTIAL, Completeness.FAILED


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file for hypothesis to write over and over."""
    return tmp_path_factory.mktemp("damage") / "local-1"


def test_a_whole_log_has_no_problems(tmp_path: Path) -> None:
    application = read(write(tmp_path / "local-1", LINES))
    assert (application.status, application.problems) == (COMPLETE, ())
    assert (application.app_id, application.spark_version, application.app_name) == ("local-1", "4.3.0", "nightly")
    assert (application.start_ms, application.end_ms) == (1000, 9000)
    assert [e.final_plan.name for e in application.executions if e.final_plan] == ["Scan orc "]


class TestCut:
    """A log that ends anywhere, as when its job is killed."""

    def test_at_any_byte_of_plain_text(self, scratch: Path) -> None:
        for cut in range(0, len(PLAIN) - 1, 3):  # without its last line end it is whole
            check_kept(read(write(scratch, PLAIN[:cut])), PLAIN[:cut].count(b"\n"))

    def test_at_any_byte_of_zstd(self, scratch: Path) -> None:
        ends = list(itertools.accumulate(len(zstd(LINES[i : i + 2])) for i in range(0, len(LINES), 2)))
        for cut in range(len(FRAMES)):
            whole_frames = sum(end <= cut for end in ends)
            check_kept(read(write(scratch, FRAMES[:cut])), min(2 * whole_frames, len(LINES)))

    def test_between_lines_is_told_too(self, tmp_path: Path) -> None:
        application = read(write(tmp_path / "local-1", LINES[:-1]))
        (problem,) = application.problems
        assert (problem.code, problem.line, problem.retryable) == (ProblemCode.TRUNCATED, len(LINES) - 1, False)
        assert application.status is PARTIAL

    @pytest.mark.parametrize(("name", "retryable"), [("local-1", False), ("local-1.inprogress", True)])
    @pytest.mark.parametrize("content", [PLAIN[:-5], FRAMES[:-5], b"".join(LINES[:-1])])
    def test_may_be_worth_reading_again_only_while_it_is_written(
        self, tmp_path: Path, name: str, retryable: bool, content: bytes
    ) -> None:
        application = read(write(tmp_path / name, content))
        (problem,) = application.problems
        assert (problem.code, problem.retryable) == (ProblemCode.TRUNCATED, retryable)
        assert problem.file == str(tmp_path / name)
        assert problem.line >= len(LINES) - 2

    def test_in_an_earlier_rolled_file_is_not_taken_for_complete(self, tmp_path: Path) -> None:
        directory = tmp_path / "eventlog_v2_local-1"
        first = write(directory / "events_1_local-1.zstd", zstd(LINES[:8])[:-3])
        write(directory / "events_2_local-1.zstd", zstd(LINES[8:]))
        write(directory / "appstatus_local-1.inprogress", b"")
        application = read(directory)
        assert application.end_ms == 9000
        assert application.status is PARTIAL
        (problem,) = application.problems
        assert (problem.code, problem.file, problem.retryable) == (ProblemCode.TRUNCATED, str(first), False)

    def test_of_the_beginning_is_told_too(self, tmp_path: Path) -> None:
        path = write(tmp_path / "local-1", LINES[3:])
        (problem,) = read(path).problems
        assert (problem.code, problem.file, problem.line) == (ProblemCode.TRUNCATED, str(path), 1)
        assert "start" in problem.message

    def test_in_a_replan_keeps_the_plan_before_it(self, tmp_path: Path) -> None:
        lines = [*head(), execution_start(), replan(0, plan("Scan orc ")), replan(0, plan("Scan avro "))[:-30]]
        application = read(write(tmp_path / "local-1", lines))
        assert application.executions[0].final_plan is not None
        assert application.executions[0].final_plan.name == "Scan orc "
        assert [p.line for p in application.problems] == [6]


@functools.cache
def said_by(whole_lines: int) -> Application:
    return fold(LINES[:whole_lines])


def check_kept(application: Application, whole_lines: int) -> None:
    """An application cut off after so many lines says at least what those lines say, and that it was cut."""
    expected = said_by(whole_lines)
    assert application.app_id in (expected.app_id, "local-1")
    assert accumulators(application).get(ROWS, 0) >= accumulators(expected).get(ROWS, 0)
    assert len(application.stages) >= len(expected.stages)
    assert len(application.executions) >= len(expected.executions)
    for execution, known in zip(application.executions, expected.executions, strict=False):
        assert execution.initial_plan == known.initial_plan
        assert execution.final_plan == known.final_plan or known.final_plan is None
        assert execution.end_ms == known.end_ms or known.end_ms is None
    assert application.problems
    assert application.status is PARTIAL if whole_lines else application.status is not COMPLETE


class TestDamage:
    """Bytes that changed on the way."""

    @given(at=st.integers(0, len(PLAIN) - 1), byte=st.integers(0, 255))
    def test_any_byte_of_plain_text(self, scratch: Path, at: int, byte: int) -> None:
        damaged = PLAIN[:at] + bytes([byte]) + PLAIN[at + 1 :]
        application = read(write(scratch, damaged))
        untouched = PLAIN[:at].count(b"\n")
        assert len(application.executions) == 1 or untouched <= 4
        assert application.status is not FAILED

    @given(at=st.integers(0, len(FRAMES) - 1), byte=st.integers(0, 255))
    def test_any_byte_of_zstd(self, scratch: Path, at: int, byte: int) -> None:
        damaged = FRAMES[:at] + bytes([byte]) + FRAMES[at + 1 :]
        application = read(write(scratch, damaged))
        assert application.status is COMPLETE or application.problems

    @given(content=st.binary(max_size=2000))
    def test_anything_at_all(self, scratch: Path, content: bytes) -> None:
        application = read(write(scratch, content))
        assert application.status is FAILED
        assert application.problems

    def test_corrupt_gzip_data_is_told_with_its_place(self, tmp_path: Path) -> None:
        packed = bytearray(gzip.compress(PLAIN, compresslevel=0))
        packed[12:16] = b"\xff\xff\xff\xff"
        application = read(write(tmp_path / "local-1.gz", bytes(packed)))
        assert [p.code for p in application.problems] == [ProblemCode.CORRUPT_DATA]

    def test_a_bad_line_costs_that_line_only(self, tmp_path: Path) -> None:
        lines = [*LINES[:4], b'{"Event":"SparkListenerJobStart", oops\n', b"\xff\xfe\n", *LINES[4:]]
        application = read(write(tmp_path / "local-1", lines))
        assert [(p.code, p.line) for p in application.problems] == [
            (ProblemCode.BAD_LINE, 5),
            (ProblemCode.BAD_LINE, 6),
        ]
        assert accumulators(application)[ROWS] == 100
        assert application.status is PARTIAL

    def test_a_field_of_another_type_costs_that_line_only(self, tmp_path: Path) -> None:
        odd = [
            event("SparkListenerTaskEnd", Stage_ID="many"),
            event("SparkListenerStageCompleted", Stage_Info=[]),
            sql_event("SQLExecutionEnd", executionId={}),
            event("SparkListenerEnvironmentUpdate", Spark_Properties=None),
        ]
        application = read(write(tmp_path / "local-1", [*LINES[:4], *odd, *LINES[4:]]))
        assert [p.line for p in application.problems] == [5, 6, 7, 8]
        assert accumulators(application)[ROWS] == 100

    @pytest.mark.parametrize(
        "task",
        [
            task_end(-3),
            task_end(1 << 40),
            task_end(0, partition=1 << 40),
            task_end(7, rows=1e999),
            task_end(7, rows="many"),
            task_end(7, rows=[1]),
            task_end(7, rows=-1),
        ],
    )
    def test_numbers_that_cannot_be_are_left_out(self, tmp_path: Path, task: bytes) -> None:
        application = read(write(tmp_path / "local-1", [*LINES[:-3], task.replace(b"Infinity", b"1e999"), *LINES[-3:]]))
        assert accumulators(application)[ROWS] == 100

    @pytest.mark.parametrize(
        ("name", "way"),
        [
            ("SQLExecutionStart", ("description",)),
            ("SQLExecutionStart", ("physicalPlanDescription",)),
            ("SQLExecutionStart", ("details",)),
            ("SQLExecutionStart", ("modifiedConfigs",)),
            ("JobStart", ("Stage Infos",)),
            ("JobEnd", ("Job Result", "Exception", "Message")),
        ],
        ids=lambda told: told if isinstance(told, str) else "",
    )
    def test_null_where_there_is_nothing_costs_nothing(
        self, tmp_path: Path, name: str, way: tuple[str | int, ...]
    ) -> None:
        job = job_end(error="no such table")
        lines = [job if b"SparkListenerJobEnd" in line else line for line in LINES]
        (number,) = [number for number, line in enumerate(lines) if f'Listener{name}"'.encode() in line]
        lines[number] = with_field(lines[number], way, None)
        application = read(write(tmp_path / "local-1", lines))
        assert (application.status, application.problems) == (COMPLETE, ())
        assert accumulators(application)[ROWS] == 100

    def test_lines_of_white_space_are_none(self, tmp_path: Path) -> None:
        blank = [b"\r\n", b" \t\n", b"\n", b"\r\n"]
        lines = [part for line in LINES for part in (line.replace(b"\n", b"\r\n"), *blank)]
        application = read(write(tmp_path / "local-1", [*blank, *lines, b" "]))
        assert (application.status, application.problems) == (COMPLETE, ())
        lines.insert(10, b"{oops\n")
        application = read(write(tmp_path / "local-1", lines))
        assert [problem.line for problem in application.problems] == [11]

    def test_many_problems_are_counted_not_listed(self, tmp_path: Path) -> None:
        application = read(write(tmp_path / "local-1", [*LINES[:3], *[b"{oops\n"] * 500, *LINES[3:]]))
        assert len(application.problems) == MAX_PROBLEMS_PER_FILE + 1
        assert application.problems[-1].code is ProblemCode.MORE_PROBLEMS
        assert f"{500 - MAX_PROBLEMS_PER_FILE} more" in application.problems[-1].message

    def test_a_line_too_long_to_hold_is_not_taken_for_the_end(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "MAX_LINE_BYTES", max(map(len, LINES)) + 1)
        long = event("SparkListenerJobStart", Properties={"x": "y" * 2 * max(map(len, LINES))})
        application = read(write(tmp_path / "local-1", [*LINES[:3], long, *LINES[3:]]))
        assert {p.code for p in application.problems} == {ProblemCode.BAD_LINE}
        assert application.end_ms == 9000

    @pytest.mark.parametrize("depth", [300, 20_000])
    def test_a_plan_nested_too_deeply_costs_the_plans_of_its_execution_only(self, tmp_path: Path, depth: int) -> None:
        node = '{"nodeName":"Project","simpleString":"","metadata":{},"metrics":[],"children":['
        info = node * depth + "]}" * depth
        deep = execution_start(1).replace(b'"sparkPlanInfo":{', b'"sparkPlanInfo":' + info.encode() + b',"old":{')
        deeper = replan(0, plan()).replace(b'"sparkPlanInfo":{', b'"sparkPlanInfo":' + info.encode() + b',"old":{')
        application = read(write(tmp_path / "local-1", [*LINES[:7], deep, deeper, *LINES[7:]]))
        readable = depth < 1000
        assert application.status is COMPLETE
        assert [p.code for p in application.problems] == ([] if readable else [ProblemCode.DEEP_PLAN] * 2)
        replanned, started = application.executions
        assert (started.execution_id, started.description, started.start_ms) == (1, "count at app.py:7", 2000)
        if readable:
            assert replanned.final_plan is not None and started.initial_plan is not None
            assert (replanned.final_plan.name, started.initial_plan.name) == ("Project", "Project")
        else:
            assert started.initial_plan is None
            # The plan that ran is not known, and an earlier one has none of its metrics.
            assert (replanned.initial_plan, replanned.final_plan) == (None, None)

    def test_many_plans_nested_too_deeply_lose_no_events(self, tmp_path: Path) -> None:
        node = b'{"nodeName":"Union","simpleString":"a \\"}","metadata":{},"metrics":[],"children":['
        depth = 20_000  # Other tests may have raised the limit of recursion.
        info = b'"sparkPlanInfo":' + node * depth + b"]}" * depth + b',"old":{'
        deep = [execution_start(n).replace(b'"sparkPlanInfo":{', info) for n in range(1, 25)]
        application = read(write(tmp_path / "local-1", [*LINES[:-1], *deep, LINES[-1]]))
        assert application.status is COMPLETE
        assert [e.execution_id for e in application.executions] == list(range(25))
        assert {p.code for p in application.problems} == {ProblemCode.DEEP_PLAN}


class TestForeign:
    """What is no event log, and what is a log of events that are not read."""

    @pytest.mark.parametrize(
        "content",
        [
            b"# Notes\n\nnothing here\n",
            b'{"a": 1}\n{"a": 2}\n',
            b"PAR1\x15\x04\x15\x00\n\x00\x01\n",
            b"\x00" * 5000,
            b"line\n" * 5000,
        ],
    )
    def test_another_file_is_one_problem(self, tmp_path: Path, content: bytes) -> None:
        application = read(write(tmp_path / "notes.txt", content))
        assert application.status is FAILED
        assert len(application.problems) == 1
        assert application.problems[0].code in (ProblemCode.NO_EVENTS, ProblemCode.TRUNCATED)
        assert application.problems[0].file == str(tmp_path / "notes.txt")

    def test_an_empty_file_may_fill_while_it_is_written(self, tmp_path: Path) -> None:
        for name, retryable in (("local-1", False), ("local-2.inprogress", True)):
            path = write(tmp_path / name, b"")
            (problem,) = read(path).problems
            assert (problem.code, problem.retryable) == (ProblemCode.NO_EVENTS, retryable)

    def test_a_vanished_file_is_a_problem(self, tmp_path: Path) -> None:
        gone = tmp_path / "gone"
        application = read_application(LogSource(gone, (gone,), in_progress=False))
        assert [(p.code, p.file) for p in application.problems] == [(ProblemCode.UNREADABLE_FILE, str(gone))]
        assert "No such file" in application.problems[0].message

    def test_unknown_events_and_fields_are_normal(self, tmp_path: Path) -> None:
        unknown = [
            event("com.databricks.spark.SomethingNew", Payload={"deep": [1, 2, {"x": None}]}),
            sql_event("SQLNeverSeenBefore", executionId=0),
            b'{"Timestamp":1,"Event":"SparkListenerOfAnotherOrder"}\n',
            b"\n",
        ]
        odd_order = b'{"Unknown Field":{"a":[1]},"Event":"SparkListenerApplicationEnd","Timestamp":9000}\n'
        application = read(write(tmp_path / "local-1", [*LINES[:3], *unknown, *LINES[3:-1], odd_order]))
        assert (application.status, application.problems) == (COMPLETE, ())
        assert accumulators(application)[ROWS] == 100
