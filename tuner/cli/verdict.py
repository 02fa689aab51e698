"""`spark-tuner approve|reject|pin|rollback`: what a person says of an action counts more than what was measured."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from typing import Annotated

import typer

from tuner.cli.cohort import known_name
from tuner.cli.db import Url, store_url
from tuner.errors import TunerError
from tuner.history.store import Store
from tuner.model.verdict import Ruling, Verdict

Cohort = Annotated[str, typer.Argument(callback=known_name, help="The cohort, as `spark-tuner status` lists it.")]
ActionId = Annotated[str, typer.Argument(metavar="ACTION", help="The action's id, or a part that only it has.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, for the record.")]


def approve(cohort: Cohort, action: ActionId, reason: Reason = "", url: Url = None) -> None:
    """Let the next run try an action."""
    _rule(Ruling.APPROVE, cohort, action, reason, url)


def reject(cohort: Cohort, action: ActionId, reason: Reason = "", url: Url = None) -> None:
    """Never apply an action."""
    _rule(Ruling.REJECT, cohort, action, reason, url)


def pin(cohort: Cohort, action: ActionId, reason: Reason = "", url: Url = None) -> None:
    """Apply an action in every run, whatever is measured."""
    _rule(Ruling.PIN, cohort, action, reason, url)


def rollback(cohort: Cohort, action: ActionId, reason: Reason = "", url: Url = None) -> None:
    """Take an action back from the next run on."""
    _rule(Ruling.ROLL_BACK, cohort, action, reason, url)


def _rule(ruling: Ruling, cohort: str, part: str, reason: str, url: str | None) -> None:
    with Store.open(store_url(url)) as store:
        known = {d.id for run in store.runs(cohort) for d in run.decision.changes}
        change_id = _the_one(known, part, cohort)
        store.record(Verdict(cohort, change_id, ruling, getpass.getuser(), datetime.now(UTC), reason))
    typer.echo(f"{ruling}: {change_id} (from the next run of {cohort} on)")


def _the_one(known: set[str], part: str, cohort: str) -> str:
    matching = [part] if part in known else sorted(id_ for id_ in known if part in id_)
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise TunerError(f"cohort {cohort!r} has no change {part!r}; `spark-tuner status {cohort}` lists them")
    raise TunerError(f"{part!r} matches {', '.join(matching[:5])}; give more of the id")
