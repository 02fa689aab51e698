"""A stage is known by exactly what it did."""

from __future__ import annotations

from tuner.cost.stage_times import MIN_STAGE_MS, stage_core_ms
from tuner.model.query_work import QueryWork, StageWork


def core_ms(*stages: StageWork) -> dict[str, int]:
    return stage_core_ms(QueryWork(stages))


SCAN = StageWork(1, 8, 9_000, {"scan": 1e9, "task": 8.0})


def test_what_did_the_same_is_one_whichever_stage_it_was() -> None:
    again = StageWork(7, 8, 4_000, {"task": 8.0, "scan": 1.001e9})
    assert list(core_ms(SCAN, again).values()) == [13_000]
    assert core_ms(SCAN).keys() == core_ms(again).keys()


def test_what_did_other_work_is_another() -> None:
    assert len(core_ms(SCAN, StageWork(2, 8, 9_000, {"scan": 1.1e9, "task": 8.0}))) == 2


def test_what_is_short_or_not_measured_tells_nothing() -> None:
    assert not core_ms(StageWork(1, 8, MIN_STAGE_MS - 1, SCAN.amounts), StageWork(2, 8, 9_000, {}))
