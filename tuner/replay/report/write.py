"""Writes a replay as one HTML file that opens anywhere, and asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tuner import __version__
from tuner.problems import Problems
from tuner.replay.report.requirement import require_report
from tuner.single_page.write import write_parts

if TYPE_CHECKING:
    from tuner.history.store import Store
    from tuner.panel.facts import CohortFacts
    from tuner.replay.replayed import Replayed
    from tuner.replay.report.cohort_answers import CohortAnswers

MOST_PAGES = 50
STATIC = Path(__file__).parent / "static"


def write_report(
    path: Path,
    replayed: Replayed,
    store: Store,
    *,
    most_pages: int = MOST_PAGES,
    core_hour_price: float | None = None,
    now: datetime | None = None,
) -> None:
    """The replay's report at `path`, in the place of what is there. `store` holds the runs of its cohorts, as
    `spark-tuner ui` would show them; the `most_pages` cohorts with the most core-hours that it holds get a page of their
    own, all are on the front page, in money too where `core_hour_price` is given.

    A page that cannot be made is a problem that the front page tells. RequirementError without what the panel needs,
    TunerError where the file cannot be written; then there is none. Memory: one cohort's answers at a time.
    """
    require_report()
    write_parts(path, _parts(replayed, store, most_pages, core_hour_price, now or datetime.now(UTC)))


def _parts(
    replayed: Replayed, store: Store, most_pages: int, core_hour_price: float | None, now: datetime
) -> Iterator[str]:
    # With the panel behind them: only who writes a report needs it.
    from tuner.panel.facts import CohortFacts
    from tuner.panel.recent_runs import RecentRuns
    from tuner.replay.report.front import MOST_SHOWN, front_page, most_core_hours
    from tuner.replay.report.top import Paged
    from tuner.single_page.blocks import json_block, packed_block
    from tuner.single_page.frame import frame

    summary, kept = replayed.summary, {found.cohort: found for found in store.cohorts()}
    named = [c.cohort for c in most_core_hours(summary.cohorts) if c.cohort in kept][: max(most_pages, 0)]
    paged: dict[str, Paged] = {}
    around = frame("Spark tuner: replay", STATIC, "report_main")
    yield around.head
    problems = Problems(summary.problems)
    for cohort in named:
        facts = CohortFacts(store, RecentRuns(), kept[cohort])
        made = problems.guard(
            f"make the page of cohort {cohort}", partial(_answers_and_json, facts, core_hour_price), None
        )
        if made is not None:
            answers, json = made
            paged[cohort] = Paged(len(paged), answers.insights[:MOST_SHOWN])
            yield packed_block(f"cohort-{paged[cohort].number}", json)
    found = replace(summary, problems=tuple(problems.found))
    front = front_page(found, paged, version=__version__, written_at=now, core_hour_price=core_hour_price)
    yield json_block("front", msgspec.json.encode(front, enc_hook=lambda answer: answer.model_dump()))
    yield around.tail


def _answers_and_json(facts: CohortFacts, core_hour_price: float | None) -> tuple[CohortAnswers, bytes]:
    from tuner.replay.report.cohort_answers import cohort_answers

    answers = cohort_answers(facts, core_hour_price)
    return answers, answers.model_dump_json().encode()
