"""`spark-tuner db`: the history store's schema."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from tuner.cli.options.store import Url, store_url, stored_url
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines

db = typer.Typer(help="The history store.", no_args_is_help=True)

MOST_DAYS = 36_500


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
        int, typer.Option(min=1, max=MOST_DAYS, help="Let go of the plans of runs that began longer ago than this.")
    ],
    url: Url = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and keep it.")] = False,
) -> None:
    """Let go of the plans of old runs, which no decision looks at any more; their times, decisions and savings stay."""
    # What decides knows which runs it looks at: `--help` does not wait for it.
    from tuner.cli.as_text.pruned import pruned_words
    from tuner.history.store import Store
    from tuner.history.url import parse, shown
    from tuner.loop.prune import prune as prune_plans

    found = stored_url(url)
    before = datetime.now(UTC) - timedelta(days=keep_days)
    with Store.open(found) as store:
        pruned = prune_plans(store, before, dry_run=dry_run)
    print_lines(console(), [f"{shown(parse(found))}: {pruned_words(pruned, before, dry_run=dry_run)}"])
