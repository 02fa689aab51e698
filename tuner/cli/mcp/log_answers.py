"""What tools over event logs answer: objects in lists are those of `advise --json` and `replay --json`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tuner.panel.models.answer import Answer
from tuner.panel.models.page import Page


class LogItem(Answer):
    """An event log. `path` is what other tools take; `bytes` are those of its files, `in_progress` whether it goes on;
    `written_at` is not known of what lies in a zip file."""

    path: str
    bytes: int
    written_at: datetime | None
    in_progress: bool


class LogAdvice(Answer):
    """What the tuner would change in the applications of a log, and what only a person can. `not_used` are logs without advice,
    with why."""

    recommendations: Page[dict[str, Any]]
    insights: Page[dict[str, Any]]
    not_used: list[str]


class LogReplay(Answer):
    """What the tuner would have done at each run of the logs, by cohort: most core-hours to save first. `totals` are those of
    `replay --json` without their lists. `left_out` logs were more, or larger, than one answer takes; `cohorts_left_out` were not
    walked for want of time. `not_used` are logs without evidence, with why; where no cohort that was read is asked for, it begins
    with those that there are."""

    totals: dict[str, Any]
    cohorts: Page[dict[str, Any]]
    left_out: int
    cohorts_left_out: int
    not_used: list[str]
