"""What the front page shows first of all cohorts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.panel.nights import HINT, decided
from tests.replay.report.made import cohort
from tuner.model.change import Prediction
from tuner.model.decision import Standing
from tuner.model.insight import InsightKind
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.query_ref import QueryRef
from tuner.replay.cohort_replay import Advised
from tuner.replay.report.top import Paged, new_recommendations, top_insights, top_recommendations


def insight(seconds: float) -> InsightItem:
    query = QueryRef(fingerprint="q1", name="q1")
    return InsightItem(
        kind=InsightKind.SPILL, operator="Sort", query=query, seconds=seconds, reason="", change="", evidence=[]
    )


def test_new_is_what_no_run_so_far_was_to_have() -> None:
    told = Advised((decided(HINT, Standing.TRIAL),), 0, Prediction(20.0, 11.0, 9.0, 14.0), 0.02)
    cohorts = [cohort("known"), replace(cohort("first", share=None), advised=(told,))]
    found = new_recommendations(cohorts, {})
    assert [(r.cohort, r.words, r.runs, r.page, r.core_hours) for r in found] == [
        ("first", ["/*+ BROADCAST(days) */ in query q1"], 0, None, 0.02)
    ]
    assert found[0].predicted.gain == 9.0
    assert {r.cohort for r in top_recommendations(cohorts, {})} == {"known"}


def test_insights_are_ranked_by_the_core_hours_of_their_run() -> None:
    wide = replace(cohort("wide"), core_hours=cohort().core_hours * 10)
    paged = {"etl.load": Paged(0, insights=[insight(60.0), insight(5.0)]), "wide": Paged(1, insights=[insight(30.0)])}
    found = top_insights([cohort(), wide, cohort("no page")], paged)
    assert [(i.cohort, i.page, i.insight.seconds) for i in found] == [
        ("wide", 1, 30.0),
        ("etl.load", 0, 60.0),
        ("etl.load", 0, 5.0),
    ]
    assert found[1].core_hours == pytest.approx(60 * 8 / 3600)


def test_what_runs_had_set_comes_after_the_rest_and_says_so() -> None:
    first, second = cohort().advised
    held = replace(first, already_set={"spark.sql.shuffle.partitions": "2000"})
    assert first.core_hours > second.core_hours
    found = top_recommendations([replace(cohort(), advised=(held, second))], {})
    assert [r.already_set for r in found] == [
        "",
        "the job runs with spark.sql.shuffle.partitions=2000: where it sets that itself, the tuner leaves it",
    ]
