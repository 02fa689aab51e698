"""The two runs that a command line names: by keys of the store, or as event logs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import typer

from tuner.cli.options.cohort import require_known
from tuner.cli.options.store import stored_url
from tuner.cli.reading.logs import LogReader, QueriesInFull, read_into
from tuner.errors import TunerError
from tuner.eventlog.as_ended import as_ended
from tuner.eventlog.location import MAX_SHOWN, scheme_of
from tuner.eventlog.properties import redact
from tuner.history.cohort_name import is_storable
from tuner.history.store import Store
from tuner.history.url import sqlite_file
from tuner.model.application import Application
from tuner.model.decision import Decision, Mode
from tuner.model.run import Run, RunState
from tuner.printable import identifier, listed, printable
from tuner.replay.logged_run import logged_run
from tuner.replay.run_in_effect import run_in_effect
from tuner.words.states import PLANS_LET_GO

# Runs that are looked at for one that was measured, or is meant.
_MOST_RUNS = 1000
_MOST_NAMED = 4
_LIST_RUNS = "`spark-tuner status COHORT` lists the runs of a cohort"


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs to compare. Where a cohort was asked for, `newer` is its newest run, if that was not measured."""

    before: Run
    after: Run
    newer: Run | None = None


def compared_runs(before: str, after: str | None, cohort: str | None, url: str | None) -> ComparedRuns:
    """The earlier and the later run, as they are given. Raises TunerError for what is no run, or may be several."""
    if cohort is not None and _is_log(before) and (after is None or _is_log(after)):
        raise typer.BadParameter("logs are no runs of the store's cohorts: leave it out", param_hint="--cohort")
    if after is None:
        is_log = _is_log(before) and not _is_cohort(before, url)
        return _two_logs(before, url) if is_log else _latest_two(before, cohort, url)
    return ComparedRuns(_run(before, cohort, url), _run(after, cohort, url))


def _is_log(text: str) -> bool:
    """What is there, or is a URL, is no run's key."""
    try:
        return bool(text) and ("://" in text or Path(text).exists())
    except (OSError, ValueError):
        return False


def _is_cohort(text: str, url: str | None) -> bool:
    """Whether a bare name, which something here has too, is that of a cohort; where the store does not tell, it is not."""
    if Path(text).name != text or not is_storable(text):
        return False
    try:
        found = stored_url(url)
        file = sqlite_file(found)
        if file is not None and not file.exists():
            return False
        with Store.open(found) as store:
            return store.count(text) > 0
    except TunerError:
        return False


def _shown(path: str) -> str:
    """A path as it may be printed: a URL without the credentials in it."""
    return redact(path, MAX_SHOWN) if scheme_of(path) else printable(path)


def _run(text: str, cohort: str | None, url: str | None) -> Run:
    if not _is_log(text):
        with Store.open(stored_url(url)) as store:
            return _stored(store, _key(store, text, cohort))
    found = _logged(text, url)
    if len(found) != 1:
        several = listed(identifier(run.outcome.app_id if run.outcome else run.key) for run in found)
        raise TunerError(f"{_shown(text)}: holds {len(found)} applications ({several}); give the log of one of them")
    return found[0]


def _two_logs(path: str, url: str | None) -> ComparedRuns:
    found = _logged(path, url)
    if len(found) != 2:
        raise TunerError(
            f"{_shown(path)}: holds {len(found)} of the two applications to compare; give the logs of two runs"
        )
    return ComparedRuns(found[0], found[1])


def _logged(path: str, url: str | None) -> list[Run]:
    """The applications of the logs at a path, oldest first."""
    reader = LogReader()
    read = list(reader.read([path], partial(read_into, QueriesInFull)))
    if reader.failures or not read:
        raise TunerError(f"{_shown(path)}: nothing is compared without it; give the event log of a Spark application")
    return sorted((_of_log(*one, path, url) for one in read), key=lambda run: run.started_at)


def _of_log(application: Application, sink: QueriesInFull, path: str, url: str | None) -> Run:
    found = logged_run(as_ended(application, datetime.now(UTC)), sink.in_order(), _shown(path), ends=sink.ends)
    if found is None:
        raise TunerError(
            f"{_shown(path)}: does not tell which application it is of, or when that started; give another log"
        )
    decision = _decision(found.key, url) if found.steered else None
    return run_in_effect(decision or Decision(Mode.OBSERVE, ()), found)


def _decision(key: str, url: str | None) -> Decision | None:
    """What a run that the tuner submitted was to have; None where the store does not tell: its log is enough to compare it."""
    try:
        with Store.open(stored_url(url)) as store:
            run = store.run(key)
    except TunerError:
        return None
    return run.decision if run is not None else None


def _latest_two(text: str, cohort: str | None, url: str | None) -> ComparedRuns:
    """Of a cohort its latest run that was measured and the one before it; of a run that and the one before: of a mapped task, of
    the same instance."""
    newer = None
    with Store.open(stored_url(url)) as store:
        if cohort is None and is_storable(text) and store.count(text):
            of, marks = text, store.marks(text, _MOST_RUNS)
            after = next((mark.key for mark in reversed(marks) if mark.app_id is not None), None)
            if after is None:
                raise TunerError(f"no run of cohort {text!r} has been measured yet; one is when its event log was read")
            newer = next((run for run in store.runs(text, 1, brief=True) if run.outcome is None), None)
        else:
            after = _key(store, text, cohort)
            of = _stored(store, after).cohort
        before = store.key_before(of, after)
        if before is None:
            raise TunerError(
                f"none of the newest runs before {after} succeeded and was measured; name the run to compare it with"
            )
        return ComparedRuns(_stored(store, before), _stored(store, after), newer)


def _key(store: Store, text: str, cohort: str | None) -> str:
    """The key of the one run that is meant. Raises TunerError where none is, or several may be."""
    if cohort is not None:
        require_known(store, cohort)
    keys = store.keys_with(text, _MOST_RUNS, cohort) if text and is_storable(text) else []
    if text in keys:
        return text
    if not keys:
        of = f" of cohort {cohort!r}" if cohort else ""
        raise TunerError(f"{text!r} is neither an event log nor a run{of} in the store; {_LIST_RUNS}")
    if len(keys) > 1:
        more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
        raise TunerError(
            f"{text!r} may be {len(keys)} runs: {', '.join(keys[:_MOST_NAMED])}{more}; give more of the key"
        )
    return keys[0]


def _not_measured(run: Run) -> str:
    if run.was_seen_to_succeed:
        return "it has ended, and its log was not read yet"
    return "it is still running" if run.state is RunState.RUNNING else f"it is {run.state.value}, without an event log"


def _stored(store: Store, key: str) -> Run:
    run = store.run(key)
    if run is None:
        raise TunerError(f"run {key} cannot be read from the store; {_LIST_RUNS}")
    if run.outcome is None:
        raise TunerError(f"run {key} was not measured: {_not_measured(run)}; compare another run")
    if store.plans_let_go(key):
        raise TunerError(f"run {key} cannot be compared: {PLANS_LET_GO}; compare another run")
    return run
