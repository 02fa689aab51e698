"""`spark-tuner approve|reject|pin|rollback`: what a person says of a change counts more than what was measured."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from tuner.cli.options.cohort import Cohort, runs_if_known
from tuner.cli.options.reason import Reason
from tuner.cli.options.store import Url, stored_url, where_said
from tuner.cli.reading.imported_changes import imported_changes
from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines, print_to_copy
from tuner.errors import TunerError
from tuner.history.store import Store
from tuner.loop.decision_now import DecisionNow, decision_now
from tuner.loop.stance_now import keep_stance_now
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.trial import decided_by_trial
from tuner.model.trial_rulings import kept_out, ruled_together
from tuner.model.verdict import Ruling, Verdict
from tuner.person import this_person
from tuner.words.changes import change_words
from tuner.words.decisions import STEERING_OFF
from tuner.words.query_names import QueryNames, names_in
from tuner.words.reasons import why_words
from tuner.words.short_ids import short_id

MOST_NAMED = 5


def _change(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter("an empty id may be any change; `spark-tuner status COHORT` lists them with their ids")
    return text


ChangeId = Annotated[
    str,
    typer.Argument(
        metavar="CHANGE",
        callback=_change,
        help="The change as `spark-tuner status COHORT` calls it: its short or its long id, or a part of that.",
    ),
]


def approve(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Let the next run try a change, and what is tried with it."""
    _rule(Ruling.APPROVE, cohort, change, reason, url)


def reject(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Never apply a change, nor what is tried with it."""
    _rule(Ruling.REJECT, cohort, change, reason, url)


def pin(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Apply a change, and what is tried with it, whatever is measured: in every run that may have changes (docs/panel.md)."""
    _rule(Ruling.PIN, cohort, change, reason, url)


def rollback(cohort: Cohort, change: ChangeId, reason: Reason = "", url: Url = None) -> None:
    """Take a change back, and what is tried with it, from the next run on."""
    _rule(Ruling.ROLL_BACK, cohort, change, reason, url)


def _rule(ruling: Ruling, cohort: str, part: str, reason: str, url: str | None) -> None:
    with Store.open(stored_url(url)) as store:
        runs = runs_if_known(store, cohort)
        coming = decision_now(store, cohort).decision.changes if runs else ()
        trials = _newest_trials([imported_changes(store, cohort), *(run.decision.changes for run in runs), coming])
        known = {id_: decided.change for id_, trial in trials.items() for decided in trial if decided.id == id_}
        names = names_in(runs)
        id_ = _the_one(known, part, cohort, names)
        if ruling is not Ruling.REJECT and not known[id_].carried_out:
            raise TunerError(_left_to_people(cohort, known[id_], names))
        ruled = ruled_together(trials[id_], id_, ruling)
        now, by = datetime.now(UTC), this_person()
        store.record(*(Verdict(cohort, one, ruling, by, now, reason) for one in ruled))
        keep_stance_now(store, cohort)
        holds = _from_when(ruling, cohort, id_, decision_now(store, cohort) if runs else None, names)
    told = _said(ruling, id_, {one: change_words(known[one], names) for one in ruled}, holds)
    print_lines(console(), told)
    print_to_copy(console(), where_said(store, url))


def _newest_trials(decided: Iterable[Sequence[DecidedChange]]) -> dict[str, tuple[DecidedChange, ...]]:
    """Each change's trial, by its id, as it was decided on last; what was decided first comes first."""
    trials = [trial for changes in decided for trial in decided_by_trial(changes)]
    return {decided.id: trial for trial in trials for decided in trial}


def _left_to_people(cohort: str, change: Change, names: QueryNames) -> str:
    id_ = short_id(change.id)
    return (
        f"{id_}: {change_words(change, names)}: no run can carry this out; do it yourself, or "
        f"`spark-tuner reject {shlex.quote(cohort)} {id_}`"
    )


def _from_when(ruling: Ruling, cohort: str, id_: str, coming: DecisionNow | None, names: QueryNames) -> str:
    """When what was said holds, by what the next run is to have now; `coming` is None of a cohort without runs."""
    if coming is not None and ruling in (Ruling.APPROVE, Ruling.PIN):
        if coming.decision.steering_off:
            return STEERING_OFF
        if coming.mode_is_known and coming.decision.mode is Mode.OBSERVE:
            return f"mode observe changes nothing: no run of {cohort} applies it before its mode is another"
        for decided in kept_out(coming.decision, (id_,)):
            yet = " yet" if decided.standing is Standing.HELD else ""
            return f"the next run of {cohort} does not try it{yet}: {why_words(decided, names)}"
    return f"from the next run of {cohort} on"


def _said(ruling: Ruling, id_: str, words: Mapping[str, str], holds: str) -> Iterator[str]:
    """The change that was named first."""
    yield f"{ruling}: {words[id_]} ({holds})"
    yield f"  id: {short_id(id_)}"
    for other in words:
        if other != id_:
            yield f"{ruling}, for they are tried together: {words[other]}"
            yield f"  id: {short_id(other)}"


def _the_one(known: Mapping[str, Change], part: str, cohort: str, names: QueryNames) -> str:
    if part in known:
        return part
    # Ids spell hashes of queries, and one may have another's short id in it: that is what is told to be given.
    matching = [id_ for id_ in known if short_id(id_) == part] or sorted(id_ for id_ in known if part in id_)
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise TunerError(f"cohort {cohort!r} has no change {part!r}; `spark-tuner status {cohort}` lists them")
    several = "; ".join(f"{short_id(id_)}: {change_words(known[id_], names)}" for id_ in matching[:MOST_NAMED])
    more = f"; and {len(matching) - MOST_NAMED} more" if len(matching) > MOST_NAMED else ""
    raise TunerError(f"{part!r} may be {several}{more}; give one of these ids")
