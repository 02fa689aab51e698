"""What changes gained and lost, over all cohorts that a viewer may read."""

from __future__ import annotations

from tuner.model.saved import Saved
from tuner.panel.models.savings import SavedItem, SavedOfChange, SavedOfCohort, SavedOfTag, SavedOfWeek, Savings
from tuner.panel.views.texts import shortened
from tuner.policy.evidence.log_ratio import interval_90
from tuner.savings.savings_report import SavingsReport, ends
from tuner.units import cost_of

# More cohorts than a page can show; the command line has all.
MOST_COHORTS = 200


def savings_answer(report: SavingsReport, core_hour_price: float | None) -> Savings:
    def item(saved: Saved) -> SavedItem:
        low, high = interval_90(saved.seconds, saved.deviation)
        return SavedItem(
            seconds=saved.seconds,
            low=low,
            high=high,
            core_hours=saved.core_hours,
            lost_seconds=saved.lost_seconds,
            gib_hours=saved.gib_hours,
            cost=cost_of(saved.core_hours, core_hour_price),
            runs=saved.runs,
            failed_runs=saved.failed,
        )

    return Savings(
        since=report.since,
        total=item(report.total),
        cohorts_in_all=len(report.cohorts),
        weeks=[SavedOfWeek(week=one.week, saved=item(one.saved)) for one in report.weeks],
        tags=[SavedOfTag(tag=one.tag, cohorts=one.cohorts, saved=item(one.saved)) for one in report.tags],
        cohorts=[
            SavedOfCohort(cohort=one.cohort, tags=list(one.tags), saved=item(one.saved))
            for one in ends(report.cohorts, MOST_COHORTS)
        ],
        changes=[
            SavedOfChange(
                cohort=one.cohort,
                words=shortened(one.words),
                saved=item(one.saved),
                first_at=one.first_at,
                last_at=one.last_at,
            )
            for one in report.changes
        ],
    )
