"""Executions, stages and jobs that wait for events still to come; those of two consecutive stretches can be joined."""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from tuner.eventlog import events as ev
from tuner.model.application import PlanInfo

_MAX_PARTITIONS = 1 << 24  # a larger partition number is damage, not a task
_MAX_ATTEMPTS = 1000
_PAGE_BITS = 12  # partitions are marked in pages of 4096: one wild number must not cost megabytes
_PAGE_BYTES = 1 << (_PAGE_BITS - 3)
_LEAST_BYTES = 16
_MOST_APART = 20_000  # tasks of a stage: a few hundred MB of an event log


def place_of(index: int, attempt: int) -> int:
    """Where a task is marked that tells its index in an attempt of its stage, but no partition (before Spark 3.3).

    The first attempt numbers partitions, a later one what it has to run, whichever partitions these are: its tasks are
    marked below 0, and count as far as the stage lacked any.
    """
    if not 0 <= index < _MAX_PARTITIONS:
        return _MAX_PARTITIONS
    return index if attempt <= 0 else index - min(attempt, _MAX_ATTEMPTS) * _MAX_PARTITIONS


class OpenExecution(msgspec.Struct):
    """A SQL execution. Of its re-plans the last two are kept, undecoded: the last may turn out unreadable. `start_bytes` are
    those of its start's event, as far as it is kept."""

    start: ev.ExecutionStart | None = None
    logical_plan: str | None = None
    asks_if_empty: bool = False
    latest_replan: ev.RawAdaptiveUpdate | None = None
    previous_replan: ev.RawAdaptiveUpdate | None = None
    final_plan: PlanInfo | None = None
    end: ev.ExecutionEnd | None = None
    driver_updates: dict[int, int] = {}
    start_bytes: int = 0

    @property
    def replans(self) -> tuple[ev.RawAdaptiveUpdate, ...]:
        return tuple(update for update in (self.latest_replan, self.previous_replan) if update is not None)

    @property
    def plan_bytes(self) -> int:
        """The bytes of its plans in the log."""
        return self.start_bytes + sum(update.plain_bytes for update in self.replans)

    def replan_bytes(self, *, packed: bool) -> int:
        """The bytes that its re-plans take: of those that are packed, or those that are not."""
        return sum(len(update.line) for update in self.replans if update.is_packed is packed)

    def replan(self, update: ev.RawAdaptiveUpdate) -> None:
        self.previous_replan, self.latest_replan = self.latest_replan, update

    def pack(self) -> None:
        self.previous_replan = self.previous_replan and self.previous_replan.packed()
        self.latest_replan = self.latest_replan and self.latest_replan.packed()

    def absorb(self, later: OpenExecution) -> None:
        if self.start is None:
            self.start, self.logical_plan = later.start, later.logical_plan
            self.asks_if_empty, self.start_bytes = later.asks_if_empty, later.start_bytes
        if later.final_plan is not None:
            self.latest_replan, self.final_plan = None, later.final_plan
        for update in (later.previous_replan, later.latest_replan):
            if update is not None:
                self.replan(update)
        self.end = later.end or self.end
        add_updates(self.driver_updates, later.driver_updates)


class OpenAttempt(msgspec.Struct):
    """One attempt of a stage, the jobs that wait for it, and what its tasks add up to.

    `longest` are the run time of the slowest task that succeeded, in ms, and the bytes that it read; `most_written` are
    the most shuffle bytes that one of those wrote. `untold_tasks` and `partial_ids` are those of the Stage that it becomes.
    """

    info: ev.StageInfo
    totals: list[int]
    job_ids: dict[int, None] = {}
    completed_tasks: int = 0
    failed_tasks: int = 0
    killed_tasks: int = 0
    longest: tuple[int, int] = (0, 0)
    most_written: int = 0
    untold_tasks: int = 0
    partial_ids: frozenset[int] = frozenset()

    def absorb(self, later: OpenAttempt) -> None:
        if later.info.submitted_ms is not None:
            self.info = later.info
        self.totals = [a + b for a, b in zip(self.totals, later.totals, strict=True)]
        self.job_ids |= later.job_ids
        self.completed_tasks += later.completed_tasks
        self.failed_tasks += later.failed_tasks
        self.killed_tasks += later.killed_tasks
        if later.longest[0] > self.longest[0]:
            self.longest = later.longest
        self.most_written = max(self.most_written, later.most_written)


class OpenJob(msgspec.Struct):
    """A job, and the SQL execution that ran it, if any. The tasks are those of attempts that were handed on."""

    execution_id: int | None = None
    stage_ids: list[int] = []
    stages: list[ev.JobStage] = []
    started: bool = False
    submitted_ms: int | None = None
    end: ev.JobEnd | None = None
    completed_tasks: int = 0
    failed_tasks: int = 0
    killed_tasks: int = 0
    ran: set[tuple[int, int]] = set()

    def count(self, attempt: OpenAttempt) -> None:
        """Take in the tasks of an attempt at a stage that the job waited for."""
        self.ran.add((attempt.info.stage_id, attempt.info.attempt))
        self.completed_tasks += attempt.completed_tasks
        self.failed_tasks += attempt.failed_tasks
        self.killed_tasks += attempt.killed_tasks

    def absorb(self, later: OpenJob) -> None:
        if later.started and not self.started:
            self.execution_id, self.stage_ids, self.stages = later.execution_id, later.stage_ids, later.stages
            self.started, self.submitted_ms = True, later.submitted_ms
        self.end = later.end or self.end
        self.completed_tasks += later.completed_tasks
        self.failed_tasks += later.failed_tasks
        self.killed_tasks += later.killed_tasks
        self.ran |= later.ran


class OpenStage(msgspec.Struct):
    """A stage over all its attempts.

    `counted` marks the places (`place_of`) of the `marked` tasks whose SQL metrics are in `updates`. Where tasks of it may lie in
    an earlier stretch of the log (not `begun` in this one), the metrics of each stay apart, in `by_partition`, as far as
    `stays_apart`; if one of the others turns out to have counted before, `counts_twice`.
    """

    attempts: dict[int, OpenAttempt] = {}
    counted: dict[int, bytearray] = {}
    marked: int = 0
    updates: dict[int, int] = {}
    by_partition: dict[int, dict[int, int]] = {}
    counts_twice: bool = False
    running: int = 0
    begun: bool = False
    execution_id: int | None = None

    def counts(self, place: int) -> bool:
        """Whether no other attempt of the task at a place has counted: speculative copies and re-runs repeat rows."""
        if place >= _MAX_PARTITIONS:
            return False
        page = self.counted.get(place >> _PAGE_BITS)
        if page is None:
            page = self.counted[place >> _PAGE_BITS] = bytearray()
        byte, bit = (place >> 3) % _PAGE_BYTES, 1 << (place & 7)
        try:
            first = not page[byte] & bit
        except IndexError:  # most stages have few tasks
            page.extend(bytes(max(byte + 1, len(page) * 2, _LEAST_BYTES) - len(page)))
            first = True
        page[byte] |= bit
        self.marked += first
        return first and (place >= 0 or self._lacked_one())

    def stays_apart(self, place: int) -> bool:
        """Whether what the task at a place counted is kept by itself, of a stage that may have begun in an earlier stretch."""
        return place < 0 or len(self.by_partition) < _MOST_APART

    def _has_counted_of(self, later: OpenStage) -> bool:
        """Whether a later stretch has added up a task that has counted here: another attempt of it, which is rare."""
        both = sum(
            (int.from_bytes(page, "little") & int.from_bytes(later.counted.get(number, b""), "little")).bit_count()
            for number, page in self.counted.items()
        )
        return both > sum(map(self._is_counted, later.by_partition))

    def _is_counted(self, place: int) -> bool:
        page, byte = self.counted.get(place >> _PAGE_BITS, b""), (place >> 3) % _PAGE_BYTES
        return byte < len(page) and bool(page[byte] & 1 << (place & 7))

    def _lacked_one(self) -> bool:
        """Whether fewer tasks than the stage has were marked before the last one."""
        whole = self.attempts.get(0)
        return whole is None or not whole.info.tasks or self.marked <= whole.info.tasks

    @property
    def dropped_ends(self) -> int:
        """Of a stage that ran to its end, the tasks whose ends are not told."""
        last = self.attempts[max(self.attempts)].info if self.attempts else None
        if last is None or last.completed_ms is None or last.failure is not None:
            return 0
        completed = sum(attempt.completed_tasks - attempt.untold_tasks for attempt in self.attempts.values())
        return max(0, max(attempt.info.tasks for attempt in self.attempts.values()) - completed)

    def jobs(self) -> set[int]:
        """The jobs that waited for it."""
        return {job_id for attempt in self.attempts.values() for job_id in attempt.job_ids}

    def absorb(self, later: OpenStage) -> None:
        for number, attempt in later.attempts.items():
            if number in self.attempts:
                self.attempts[number].absorb(attempt)
            else:
                self.attempts[number] = attempt
        self.counts_twice |= later.counts_twice or self._has_counted_of(later)
        for place, updates in later.by_partition.items():
            if self.counts(place):
                add_updates(self.updates, updates)
        for number, page in later.counted.items():
            marked = self.counted.get(number, bytearray())
            self.counted[number] = bytearray(a | b for a, b in zip_longest(marked, page, fillvalue=0))
        if later.counted:
            self.marked = sum(int.from_bytes(page).bit_count() for page in self.counted.values())
        add_updates(self.updates, later.updates)
        self.running += later.running
        self.execution_id = later.execution_id if self.execution_id is None else self.execution_id


def add_updates(totals: dict[int, int], updates: dict[int, int]) -> None:
    for accumulator, value in updates.items():
        totals[accumulator] = totals.get(accumulator, 0) + value
