"""`spark-tuner db`: the history store's schema, and what it keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from tuner.cli.options.store import Url, store_url, stored_url
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.errors import TunerError
from tuner.model.proof import MOST_AGE

if TYPE_CHECKING:
    from tuner.history.store import Store

db = typer.Typer(help="The history store.", no_args_is_help=True)

MOST_DAYS = 36_500
# As long as what a job has proven is lent to others; a slip of the key costs no weekly job its all.
LEAST_FORGET_DAYS = MOST_AGE.days


@db.callback()
def _group() -> None:
    """The history store."""


@db.command()
def upgrade(url: Url = None) -> None:
    """Bring the store's schema to this version."""
    from tuner.history.schema import upgrade as upgrade_schema
    from tuner.history.url import parse, shown

    store = store_url(url)
    print_lines(console(), [f"{shown(parse(store))}: schema at {upgrade_schema(store)}"])


@db.command()
def prune(
    keep_days: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_DAYS, help="Let go of the plans of runs that began longer ago than this."),
    ] = None,
    forget_days: Annotated[
        int | None,
        typer.Option(
            min=LEAST_FORGET_DAYS,
            max=MOST_DAYS,
            help="Delete runs that began longer ago than this, and all that is known of jobs that have not run since.",
        ),
    ] = None,
    url: Url = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and keep it.")] = False,
) -> None:
    """Let go of the plans of old runs (--keep-days), or delete old runs (--forget-days); those that decisions look at stay.

    Without their plans runs still tell their times, decisions and savings. Of deleted runs what they saved is told by week.
    """
    _require_days(keep_days, forget_days)
    # What decides knows which runs it looks at: `--help` does not wait for it.
    from tuner.history.store import Store
    from tuner.history.url import parse, shown

    found, now = stored_url(url), datetime.now(UTC)
    with Store.open(found) as store:
        if forget_days is not None:
            _require_used(store, shown(parse(found)), now - timedelta(days=forget_days))
        # In this order a dry run counts the same.
        for days, go in ((keep_days, _let_go), (forget_days, _forget)):
            if days is not None:
                lines = go(store, now - timedelta(days=days), dry_run)
                print_lines(console(), [f"{shown(parse(found))}: {line}" for line in lines])


def _require_days(keep_days: int | None, forget_days: int | None) -> None:
    """typer.BadParameter where none is given, or runs were to go sooner than their plans."""
    if keep_days is None and forget_days is None:
        raise typer.BadParameter(
            "say what is to go: --keep-days N lets go of the plans of old runs, --forget-days N deletes the runs",
            param_hint="--keep-days, --forget-days",
        )
    if keep_days is not None and forget_days is not None and forget_days < keep_days:
        raise typer.BadParameter(
            f"{forget_days} is less than --keep-days {keep_days}: a run that is deleted keeps no plans; give no fewer days",
            param_hint="--forget-days",
        )


def _require_used(store: Store, place: str, since: datetime) -> None:
    """TunerError where no run of any job began since: all would go."""
    newest = max((summary.last_started_at for summary in store.cohorts()), default=since)
    if newest < since:
        raise TunerError(
            f"history store {place}: its newest run began on {newest:%Y-%m-%d}: all of it would go, and nothing was deleted; see "
            "that it is the store in use, that the clock is right, and that jobs run with the tuner; or give more --forget-days"
        )


def _let_go(store: Store, before: datetime, dry_run: bool) -> list[str]:
    from tuner.cli.as_text.pruned import pruned_words
    from tuner.loop.prune import prune as prune_plans

    return [pruned_words(prune_plans(store, before, dry_run=dry_run), before, dry_run=dry_run)]


def _forget(store: Store, before: datetime, dry_run: bool) -> list[str]:
    from tuner.cli.as_text.forgotten import forgotten_words
    from tuner.history.forget import forget
    from tuner.loop.looks_at import looks_at

    return forgotten_words(forget(store, before, looks_at, dry_run=dry_run), before, dry_run=dry_run)
