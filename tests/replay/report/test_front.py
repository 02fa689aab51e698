"""The front page ranks cohorts by what they cost, and recommendations by what they would have saved."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.replay.report.made import Made, cohort, replay
from tuner.model.change import Prediction
from tuner.replay.cohort_replay import Advised
from tuner.replay.report import front
from tuner.replay.report.front import FrontPage, front_page
from tuner.replay.report.top import Paged

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def page(made: Made, *paged: str) -> FrontPage:
    pages = {cohort: Paged(number) for number, cohort in enumerate(paged)}
    return front_page(made.summary, pages, version="1", written_at=NOW)


def test_cohorts_with_the_most_core_hours_come_first_and_know_their_page() -> None:
    found = page(replay(cohort("small", 1), cohort("large", 50), cohort("middle", 9)), "large", "middle")
    assert [(row.cohort, row.page) for row in found.cohorts] == [("large", 0), ("middle", 1), ("small", None)]
    assert found.pages == 2


def test_recommendations_of_all_cohorts_are_ranked_by_core_hours_saved() -> None:
    found = page(replay(cohort("a", 10), replace(cohort("b", 30), names={"q1": "daily sales"})), "b")
    assert found.recommendations[0].cohort == "b"
    assert [r.core_hours for r in found.recommendations] == pytest.approx([9, 3, 3, 1])
    first = found.recommendations[0]
    assert first.words == ["/*+ BROADCAST(days) */ in daily sales"]
    assert first.sentence == "days has 14.3 MB: about 9.0 s less"
    assert [(e.what, e.value, e.unit) for e in first.evidence] == [("build side", 14.3e6, "bytes")]
    assert [(q.fingerprint, q.name) for q in first.queries] == [("q1", "daily sales")]
    assert first.runs == 3


def test_of_very_many_recommendations_the_largest_are_there_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front, "MOST_SHOWN", 3)
    found = page(replay(*(cohort(f"c{n}", n + 1) for n in range(4))))
    assert (found.recommendations[0].cohort, len(found.recommendations)) == ("c3", 3)
    assert found.recommendations_in_all == 8


def test_all_cohorts_add_up() -> None:
    total = page(replay(cohort("a", 10, runs=3, live=2), cohort("b", 30, runs=4, share=None))).total
    assert total is not None
    assert (total.runs, total.core_hours, total.live, total.as_live) == (7, 40, 2, 1)
    assert total.saved is not None
    assert total.saved.core_hours == pytest.approx(4)


def test_a_replay_of_nothing_has_no_total() -> None:
    found = page(replay())
    assert (found.total, found.cohorts, found.recommendations, found.backtest) == (None, [], [], None)


def test_what_the_next_run_would_save_stands_beside_what_runs_so_far_lacked() -> None:
    told = Advised((), 0, Prediction(20.0, 11.0, 9.0, 14.0), 0.02)
    one = replace(
        cohort("one", share=None), next_saved=told.seconds, advised=(replace(told, last=cohort().advised[0].last),)
    )
    found = page(replay(one, cohort("many")))
    assert [(row.cohort, row.advised, row.next_saved and row.next_saved.gain) for row in found.cohorts] == [
        ("many", 2, None),
        ("one", 0, 9.0),
    ]
    assert found.total is not None and found.total.next_saved is not None
    assert (found.total.next_saved.gain, found.new_in_all, found.recommendations_in_all) == (9.0, 1, 2)
