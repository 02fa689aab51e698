"""The report of savings as JSON: a contract."""

from __future__ import annotations

from typing import Any

from tuner.model.saved import Saved
from tuner.policy.evidence.log_ratio import interval_90
from tuner.savings.savings_report import SavingsReport
from tuner.units import cost_of


def savings_json(report: SavingsReport, core_hour_price: float | None = None) -> dict[str, Any]:
    """Seconds, core-hours, GiB-hours and `cost` (null without a price) that were saved, less than 0 where lost; 90 % sure to be
    from `low_seconds` to `high_seconds`."""

    def saved(one: Saved) -> dict[str, Any]:
        low, high = interval_90(one.seconds, one.deviation)
        return {
            "seconds": one.seconds,
            "low_seconds": low,
            "high_seconds": high,
            "lost_seconds": one.lost_seconds,
            "core_hours": one.core_hours,
            "gib_hours": one.gib_hours,
            "cost": cost_of(one.core_hours, core_hour_price),
            "runs": one.runs,
            "failed_runs": one.failed,
        }

    return {
        "since": report.since,
        "total": saved(report.total),
        "weeks": [{"week": one.week, **saved(one.saved)} for one in report.weeks],
        "tags": [{"tag": one.tag, "cohorts": one.cohorts, **saved(one.saved)} for one in report.tags],
        "cohorts": [{"cohort": one.cohort, "tags": list(one.tags), **saved(one.saved)} for one in report.cohorts],
        "changes": [
            {
                "cohort": one.cohort,
                "change": one.change_id,
                "short_id": one.short_id,
                "words": one.words,
                "first_at": one.first_at.isoformat(),
                "last_at": one.last_at.isoformat(),
                **saved(one.saved),
            }
            for one in report.changes
        ],
    }
