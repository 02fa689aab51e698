"""What `replay` and `import` are asked alike: which logs, which cohorts, by what rules."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from tuner.cli.options.checks import some_number
from tuner.replay.cohort_of import CohortRules
from tuner.replay.run_selection import RunSelection


class By(StrEnum):
    """What carries a change into a run."""

    AGENT = "agent"
    CONF = "conf"


Pattern = Annotated[
    str | None,
    typer.Option(
        "--cohort-pattern",
        metavar="REGEX",
        help="Group applications by what this finds in their names or their jobs', else, where they have no tags, in the paths "
        "of their logs (its groups, joined by dots). [default: the tuner's or Airflow's tags in conf, else the name without "
        "dates and ids]",
    ),
]
Since = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Only applications that started since then (UTC)."),
]
Months = Annotated[
    float | None,
    typer.Option(
        min=0.0, max=1200.0, callback=some_number, help="Only the last so many months before the newest application."
    ),
]
Carrier = Annotated[
    By, typer.Option(help="How changes would reach the jobs: agent, as `submit` has it, or conf: properties alone.")
]


SqlText = Annotated[
    bool, typer.Option("--sql", help="The jobs are SQL text: with --steering conf, hints in it may name relations.")
]


def chosen(cohort: str, since: datetime | None, months: float | None) -> RunSelection:
    return RunSelection(cohort, since.replace(tzinfo=UTC) if since else None, months)


def cohort_rules(pattern: str | None, named: str = "") -> CohortRules:
    """typer.BadParameter for a pattern that is no regular expression."""
    try:
        return CohortRules(named, re.compile(pattern) if pattern else None)
    except (re.error, OverflowError, RecursionError) as error:
        raise typer.BadParameter(f"--cohort-pattern {pattern}: {error}") from error
