"""Advice on the event logs at a path, as an answer to an agent."""

from __future__ import annotations

from typing import Any

from tuner.cli.as_json.insights import insights_json
from tuner.cli.as_json.recommendation import recommendation_json
from tuner.cli.mcp.log_answers import LogAdvice
from tuner.cli.mcp.log_folders import LogFolders
from tuner.cli.options.replay import By
from tuner.cli.reading.advice_of_log import advice_of_log, cohort_in, why_not_used
from tuner.errors import TunerError
from tuner.eventlog.find import LogSource
from tuner.eventlog.read import holds_no_events
from tuner.model.trial import changes_by_trial
from tuner.panel.paging import page
from tuner.words.query_names import QueryNames

MOST_LOGS = 20


def log_advice(folders: LogFolders, path: str, limit: int, offset: int) -> dict[str, Any]:
    """A LogAdvice as JSON. Raises TunerError for a path with no logs, or with too many."""
    sources = folders.sources(path)
    if len(sources) > MOST_LOGS:
        raise TunerError(
            f"there are {len(sources)} logs at this path, more than {MOST_LOGS}; name one that list_logs has"
        )
    recommended: list[dict[str, Any]] = []
    insights: list[dict[str, Any]] = []
    not_used: list[str] = []
    for source in sources:
        _look_at(source, recommended, insights, not_used)
    return LogAdvice(
        recommendations=page(recommended, limit, offset), insights=page(insights, limit, offset), not_used=not_used
    ).model_dump(mode="json")


def _look_at(
    source: LogSource, recommended: list[dict[str, Any]], insights: list[dict[str, Any]], not_used: list[str]
) -> None:
    application, found = advice_of_log(By.AGENT, False, source)
    if holds_no_events(application) and not source.named:
        return
    if why := why_not_used(application):
        not_used.append(f"{found.log}: {why}")
        return
    names = QueryNames(found.queries)
    recommended += [recommendation_json(application, trial, names) for trial in changes_by_trial(found.changes)]
    insights += insights_json(cohort_in(application), application.app_id, found.insights, names)
