"""`spark-tuner savings`: what the tuner gained and lost, by week, team, cohort and change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from tuner.cli.as_text.write_page import write_page
from tuner.cli.options.cohort import CohortGlob
from tuner.cli.options.output import AsJson, CoreHourPrice
from tuner.cli.options.store import Url, stored_url
from tuner.cli.terminal.console import console
from tuner.history.asked_cohorts import ALL, is_asked, none_asked
from tuner.printable import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tuner.history.cohort_rows import CohortSummary
    from tuner.savings.savings_report import SavingsReport


def savings(
    weeks: Annotated[int, typer.Option(min=1, max=520, help="How many weeks back, this one included.")] = 12,
    cohort: CohortGlob = ALL,
    tag: Annotated[str, typer.Option(help="Only cohorts whose DAG has this tag.")] = "",
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it as a page that can be mailed: no scripts, no links.")
    ] = None,
    url: Url = None,
    core_hour_price: CoreHourPrice = None,
    as_json: AsJson = False,
) -> None:
    """Tell what changes gained and lost, by week, team (DAG tags), cohort and change."""
    from tuner.cli.as_text.savings import show_savings
    from tuner.history.store import Store
    from tuner.savings.savings_json import savings_json
    from tuner.savings.savings_report import ALL_CHANGES, MOST_CHANGES, savings_report

    since = datetime.now(UTC) - timedelta(weeks=weeks - 1)
    with Store.open(stored_url(url)) as store:
        known = store.cohorts()
        asked = _tagged(_asked(known, cohort), tag)
        most = ALL_CHANGES if as_json else MOST_CHANGES
        report = savings_report(store, since, asked, are_all=len(asked) == len(known), most_changes=most)
    if html is not None:
        _write(html, report, core_hour_price)
    if as_json:
        typer.echo(msgspec.json.encode(savings_json(report, core_hour_price)).decode())
    elif html is None:
        show_savings(console(), report, core_hour_price)


def _asked(known: Sequence[CohortSummary], cohort: str) -> Sequence[CohortSummary]:
    """Ends the command where none of those known is asked for."""
    names = {summary.cohort for summary in known}
    asked = [summary for summary in known if is_asked(summary.cohort, cohort, names)]
    if known and not asked:
        from tuner.cli.reading.log_sources import on_stderr

        on_stderr(none_asked(cohort, names))
        raise typer.Exit(1)
    return asked


def _tagged(asked: Sequence[CohortSummary], tag: str) -> Sequence[CohortSummary]:
    """Ends the command where a tag is given that none of those asked for has."""
    tagged = [summary for summary in asked if not tag or tag in summary.tags]
    if asked and not tagged:
        from tuner.cli.reading.log_sources import on_stderr

        there = listed(sorted({other for summary in asked for other in summary.tags}))
        on_stderr(f"no cohort's DAG has the tag {tag!r}; {f'there are: {there}' if there else 'none has any'}")
        raise typer.Exit(1)
    return tagged


def _write(path: Path, report: SavingsReport, price: float | None) -> None:
    from tuner.savings.savings_mail import savings_mail

    write_page(path, savings_mail(report, price))
    typer.echo(f"{path}: savings since {report.since}", err=True)
