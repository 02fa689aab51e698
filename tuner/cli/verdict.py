"""`spark-tuner approve|reject|pin|rollback`: what a person says of a change counts more than what was measured."""

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
from tuner.printable import printable

Cohort = Annotated[str, typer.Argument(callback=known_name, help="The cohort, as `spark-tuner status` lists it.")]
ChangeId = Annotated[str, typer.Argument(metavar="CHANGE", help="The id of the change, or a part that only it has.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, for the record.")]


def approve(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Let the next run try a change."""
    _rule(Ruling.APPROVE, cohort, change, reason, url)


def reject(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Never apply a change."""
    _rule(Ruling.REJECT, cohort, change, reason, url)


def pin(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Apply a change in every run, whatever is measured."""
    _rule(Ruling.PIN, cohort, change, reason, url)


def rollback(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Take a change back from the next run on."""
    _rule(Ruling.ROLL_BACK, cohort, change, reason, url)


def _rule(ruling: Ruling, cohort: str, part: str, reason: str, url: str | None) -> None:
    with Store.open(store_url(url)) as store:
        known = {d.id for run in store.runs(cohort) for d in run.decision.changes}
        change_id = _the_one(known, part, cohort)
        store.record(Verdict(cohort, change_id, ruling, getpass.getuser(), datetime.now(UTC), reason))
    typer.echo(printable(f"{ruling}: {change_id} (from the next run of {cohort} on)"))


def _the_one(known: set[str], part: str, cohort: str) -> str:
    matching = [part] if part in known else sorted(id_ for id_ in known if part in id_)
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise TunerError(f"cohort {cohort!r} has no change {part!r}; `spark-tuner status {cohort}` lists them")
    raise TunerError(f"{part!r} matches {', '.join(matching[:5])}; give more of the id")
