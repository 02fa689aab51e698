"""What runs hold with other sizes than their job asks for, and what they held before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.panel.nights import night, query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Run, RunState
from tuner.model.size_change import SizeChange
from tuner.panel.models.cohort import Held
from tuner.panel.views.held import held
from tuner.units import GIB

HEAP = "spark.executor.memory"


def run(number: int, gib: int = 8, hours: float = 1.0, heap: str = "", state: RunState = RunState.SUCCEEDED) -> Run:
    found = night(number, query("q1", 20), state=state)
    assert found.outcome is not None
    cuts: Sequence[SizeChange] = ()
    if heap:
        cuts = (SizeChange(HEAP, heap, "8192m", Reason(ReasonCode.SIZE_CUT, {"runs": number})),)
    ms = int(hours * 3_600_000)
    outcome = replace(
        found.outcome, allocated_core_ms=2 * ms, resources=ResourceUse(executor_ms=ms, container_bytes=gib * GIB)
    )
    return replace(found, outcome=outcome, decision=replace(found.decision, cuts=tuple(cuts)))


def test_runs_as_the_job_asks_are_held_against_those_with_the_latest_sizes() -> None:
    runs = [run(0, hours=1.2), run(1), run(2, hours=0.9), run(3, 4, heap="4096m"), run(4, 2, 1.5, heap="2048m")]
    assert held(runs) == Held(
        core_hours_before=2.0,
        core_hours=3.0,
        gib_hours_before=8.0,
        gib_hours=3.0,
    )


def test_nothing_is_said_where_the_latest_run_has_its_jobs_own_sizes_or_none_before_it_had() -> None:
    assert held([]) is None
    assert held([run(0), run(1, 4, heap="4096m"), run(2)]) is None
    assert held([run(1, 4, heap="4096m")]) is None


def test_runs_that_failed_or_whose_logs_do_not_tell_are_left_out() -> None:
    failed = run(2, 16, heap="4096m", state=RunState.FAILED)
    silent = replace(run(3), outcome=replace(night(3, query("q1", 20)).outcome, allocated_core_ms=None))  # type: ignore[type-var]
    assert held([run(0), run(1, 4, heap="4096m"), failed, silent]) == Held(
        core_hours_before=2.0, core_hours=2.0, gib_hours_before=8.0, gib_hours=4.0
    )


def test_sizes_that_the_author_asked_for_before_and_nights_without_anything_to_read_are_left_out() -> None:
    def asking(number: int, author: str, **had: object) -> Run:
        found = run(number, **had)  # type: ignore[arg-type]
        assert found.outcome is not None
        return replace(found, outcome=replace(found.outcome, conf={HEAP: str(had.get("heap", author))}))

    before = [asking(number, "32g", gib=32) for number in range(9)]
    runs = [*before, asking(9, "8g"), asking(10, "8g"), asking(11, "8g", gib=4, heap="4096m")]
    idle = asking(12, "8g", hours=0.01)
    assert idle.outcome is not None
    nothing = tuple(replace(one, input_bytes=0) for one in idle.outcome.queries)
    idle = replace(idle, outcome=replace(idle.outcome, queries=nothing))
    for nights in (runs, [*runs[:-1], *[idle] * 5, runs[-1]], [*runs, idle]):
        assert held(nights) == Held(core_hours_before=2.0, core_hours=2.0, gib_hours_before=8.0, gib_hours=4.0)
