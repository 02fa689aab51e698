"""Whether a query was slower with an action in runs that had about as much to read."""

from __future__ import annotations

from dataclasses import replace

from tuner.advice.facts import PastRun
from tuner.advice.slower_at_size import was_slower
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.query import Query, QueryStatus
from tuner.model.row_count import BESIDE, RowCount

from .joins import facts, query

HINT = Action(ActionKind.HINT_JOIN, "a" * 16, Hint.BROADCAST, "q", ("dim",))
APPLIED, HELD = DirectiveStatus.APPLIED, DirectiveStatus.HELD


def ran(seconds: float, status: DirectiveStatus | None = None, rows: int = 10**6, size: int = 10**9) -> Query:
    told = (DirectiveResult(HINT.id, status),) if status else ()
    counts = (RowCount("dim#0", rows), RowCount("shops#0", 3), RowCount("0123456789abcdef/0", rows // 7))
    return replace(
        query(seconds=seconds, fingerprint="q"), directives=told, row_counts=counts, source_bytes=size, input_bytes=size
    )


def is_slower(now: Query, *earlier: Query) -> bool:
    return was_slower(replace(facts(now), earlier=tuple(PastRun((one,)) for one in earlier)), HINT, now)


def test_by_medians_and_beyond_a_tenth_and_half_a_second() -> None:
    assert is_slower(ran(28, APPLIED), ran(17))
    assert is_slower(ran(17, HELD), ran(28, APPLIED)), "whichever came first"
    assert not is_slower(ran(18, APPLIED), ran(17))
    assert not is_slower(ran(1.4, APPLIED), ran(1))
    assert not is_slower(ran(28, APPLIED), ran(17), ran(17, APPLIED), ran(17.2, APPLIED)), "one slow night"
    assert not is_slower(ran(28, APPLIED), ran(28, APPLIED)) and not is_slower(ran(28), ran(17))


def test_of_runs_as_large_by_their_files_and_their_rows() -> None:
    now = ran(28, APPLIED)
    assert is_slower(now, ran(17, rows=900_000, size=9 * 10**8))
    assert not is_slower(now, ran(17, rows=700_000))
    assert not is_slower(now, ran(17, size=7 * 10**8))
    few = replace(ran(17), row_counts=(RowCount("dim#0", 10**6), RowCount("shops#0", 30)))
    assert is_slower(now, few)
    assert is_slower(now, replace(ran(17), row_counts=())), "files alone tell"
    delta = [
        replace(one, row_counts=(RowCount(f"{BESIDE}delta#0", rows),)) for one, rows in ((now, 0), (ran(17), 10**6))
    ]
    assert is_slower(*delta), "but for those beside the joins"


def test_of_whole_executions_with_the_same_values() -> None:
    now = ran(28, APPLIED)
    others = (
        replace(ran(17), literals="others"),
        replace(ran(17), fingerprint="p"),
        replace(ran(17), status=QueryStatus.FAILED),
    )
    assert not is_slower(now, *others)


def test_what_cores_took_no_longer_for_was_slow_by_what_ran_beside() -> None:
    now, before = replace(ran(28, APPLIED), executor_run_ms=30_000), replace(ran(17), executor_run_ms=29_000)
    assert not is_slower(now, before)
    assert is_slower(replace(now, executor_run_ms=40_000), before)
