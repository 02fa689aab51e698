"""Decides how a job's next run is steered. Fails open at every step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from threading import Thread

from tuner.errors import TriedMeanwhileError
from tuner.garbage_collection import collection_paused, collection_resumed
from tuner.history.store import Store
from tuner.loop.ahead import ahead_of
from tuner.loop.as_told import as_told
from tuner.loop.catching_up import CatchingUp
from tuner.loop.earlier_tries import UNSTEERED_END, earlier_tries
from tuner.loop.event_log_place import EventLogPlace, event_log_place
from tuner.loop.known_runs import known_marks, known_runs
from tuner.loop.namesakes import namesakes
from tuner.loop.new_store import told_of_new_store
from tuner.loop.next_decision import load_pricing, load_rules
from tuner.loop.preparing import Preparing
from tuner.loop.read_marks import take_own_marks_away
from tuner.loop.recorded import recorded
from tuner.loop.settle_earlier import is_sought, settle_all
from tuner.loop.steered import Steered, undecided, unsteered
from tuner.loop.steered_ahead import steered_ahead
from tuner.loop.steered_now import steered_now
from tuner.loop.turn import JobToRun, Turn
from tuner.loop.unstarted import did_not_start, may_not_start
from tuner.loop.withdraw import forget_jobs
from tuner.model.decision import Mode
from tuner.model.run import Run
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.never_started import may_lack_jar
from tuner.problems import Problems
from tuner.within_time import aside, begun_aside, within

# So often is a run decided while others begin that try what it was to try; then it tries nothing.
MOST_DECISIONS = 3
_FIND_PLACE = "find a place for the event log"


def prepare(job: JobToRun, store_url: str) -> Turn:
    """Decide how the next run is steered and record it as running. Never raises: without a store it runs unsteered, as where
    deciding takes longer than `job.most_seconds` allows."""
    preparing = Preparing(job, store_url, datetime.now(UTC), time.monotonic(), job.most_seconds.before_run())
    try:
        return _prepared_in_time(preparing)
    except BaseException:
        # Who waited for it is ended by a signal, and submits nothing: a retry must not take this for a try that failed.
        if not preparing.waited_for.withdraw():
            forget_jobs([job], store_url)
        if preparing.catching_up:
            preparing.catching_up.leave()
        raise
    finally:
        # The job may run in this very process, and what is late may hang for as long.
        collection_resumed()


def load_beside() -> None:
    """Loads what `complete` needs while the job runs, where `prepare` did not. The interpreter's exit waits for it."""

    def load() -> None:
        with suppress(Exception):
            load_rules()

    with suppress(RuntimeError):
        Thread(target=load, name="spark-tuner").start()


def _prepared_in_time(preparing: Preparing) -> Turn:
    late = partial(_not_prepared, preparing)
    # A file system far away takes its time: how long the job may wait for it, its history tells meanwhile.
    found = begun_aside(partial(_find_place, preparing))
    for step in (_looked_up, partial(_placed, found), _prepared_ahead):
        if (turn := within(preparing.seconds_left, partial(step, preparing), late)) is not None:
            return turn
    since = time.monotonic()
    with suppress(Exception):
        (load_pricing if preparing.is_advised else load_rules)()
    preparing.began += time.monotonic() - since
    return within(preparing.seconds_left, lambda: _prepared(preparing), late)


def _find_place(preparing: Preparing) -> Sequence[str]:
    """What failed on the way."""
    problems, find = Problems(), partial(event_log_place, preparing.job)
    preparing.place = problems.guard(_FIND_PLACE, find, preparing.place)
    return problems.found


def _looked_up(preparing: Preparing) -> None:
    """Opens the store, where it can be. A job that takes long may wait longer for what follows."""
    job, problems = preparing.job, preparing.problems
    store = preparing.store = _opened(preparing)
    if store is None:
        return
    new_store = partial(told_of_new_store, store, preparing.store_url)
    problems.found.extend(problems.guard("look whether its store is new", new_store, list[str]()))
    problems.found.extend(
        problems.guard("look at whose runs its cohort has", lambda: _mixed_up(store, job), list[str]())
    )
    preparing.usual_ms = problems.guard("look up how long its runs take", lambda: store.usual_ms(job.cohort), 0.0)
    preparing.most_seconds = job.most_seconds.before_run(preparing.usual_ms / 1e3)


def _placed(found: Callable[[], Sequence[str]], preparing: Preparing) -> Turn | None:
    """None where there is a history to decide on, once the place for the event log is `found`."""
    problems = preparing.problems
    problems.found.extend(problems.guard(_FIND_PLACE, found, ()))
    return None if preparing.store else _observed(preparing)


def _mixed_up(store: Store, job: JobToRun) -> list[str]:
    return [
        f"cohort {job.cohort} has the runs of task {task_id} of DAG {dag_id}, too, which is called the same: give each a cohort= "
        "of its own"
        for dag_id, task_id in namesakes(store, job)
    ]


def _prepared_ahead(preparing: Preparing) -> Turn | None:
    """The turn, where what was decided when the last run ended still holds; None where it is to be decided now."""
    job, problems, store = preparing.job, preparing.problems, preparing.store
    assert store is not None
    look = partial(_place_that_starts, store, preparing)
    preparing.place = problems.guard("look at how earlier tries ended", look, preparing.place)
    problems.guard("harvest earlier runs", lambda: _catch_up(store, preparing), None)
    take_up = partial(_steer_as_decided_ahead, store, preparing)
    steering = problems.guard("take up what was decided ahead", take_up, None)
    problems.guard("close the history store", store.close, None)
    return preparing.turn(job, steering, problems.found) if steering else None


def _place_that_starts(store: Store, preparing: Preparing) -> EventLogPlace:
    """No place for its event log where Spark may not start for it. What the user has on stays on."""
    job, place = preparing.job, preparing.place
    # Where logs land late, one that was not there when its job had failed tells nothing.
    is_told = bool(place.conf) and not job.log_lands_late
    if not is_told or not (unstarted := _unstarted(store, preparing)):
        return place
    jar = next((run.decision.fetched_jar for run in reversed(unstarted) if may_lack_jar(run)), "")
    return EventLogPlace(
        why="an earlier try failed and left no event log: Spark might not start where its driver cannot write there"
        f"{f', or cannot fetch {jar}' if jar else ''}; set event_log_base to a directory or URL that the driver can write to and "
        f"this machine can read{', and agent_jar to a URL that it can read' if jar else ''}"
    )


def _unstarted(store: Store, preparing: Preparing) -> Sequence[Run]:
    """The runs before this one, where they tell that Spark may not start for the place of its event log; else none."""
    job = preparing.job
    if may_not_start(tries := earlier_tries(store, job)):
        return tries
    if preparing.usual_ms:  # one that was measured left a log
        return ()
    runs = store.runs(job.cohort, HISTORY_RUNS, brief=True)
    return runs if did_not_start(runs, preparing.now) else ()


def _catch_up(store: Store, preparing: Preparing) -> None:
    """Harvest earlier runs, for half of the time that is left: what takes longer goes on aside."""
    job = preparing.job
    late = [run for run in store.failed_of_late(job.cohort) if is_sought(job, run)]
    unread = sorted([*late, *store.pending(job.cohort)], key=lambda run: run.started_at)
    pending = [run for run in unread if run.key != job.key]
    if not pending:
        return
    seconds = preparing.seconds_left / 2
    catching_up = CatchingUp(preparing.usual_ms / 1e3, take_own_marks_away)
    catching_up.begin(lambda: settle_all(pending, preparing, catching_up))
    preparing.catching_up = catching_up
    is_done = catching_up.wait(seconds)
    preparing.problems.found.extend(catching_up.news())
    if not is_done:
        preparing.problems.found.append(
            f"could not {catching_up.problems.doing or 'harvest earlier runs'} within {seconds:.1f} s: the decision is made "
            "without it; it goes on until this process ends"
        )


def _prepared(preparing: Preparing) -> Turn:
    observed = _observed(preparing)
    store = _opened(preparing)
    if store is None:
        return replace(observed, problems=tuple(preparing.problems.found))
    steering = _steer(store, preparing)
    preparing.problems.guard("close the history store", store.close, None)
    found = preparing.problems.found
    return preparing.turn(preparing.job, steering, found) if steering else replace(observed, problems=tuple(found))


def _opened(preparing: Preparing) -> Store | None:
    return preparing.problems.guard("open the history store", lambda: Store.open(preparing.store_url), None)


def _observed(preparing: Preparing) -> Turn:
    """The turn of a job without a history."""
    job, problems = preparing.job, preparing.problems
    observed = partial(unsteered, job, preparing.place, "no history at hand")
    steering = problems.guard("observe the run", observed, None) or Steered(undecided(job))
    return preparing.turn(job, steering, problems.found)


def _not_prepared(preparing: Preparing) -> Turn:
    """The turn of a job that waits no longer: unsteered, and recorded as that while it runs."""
    # A place that is found meanwhile is none of this turn's.
    preparing = replace(preparing)
    job, problems, seconds = preparing.job, Problems(preparing.problems.found), preparing.most_seconds
    doing = preparing.problems.doing or "decide"
    problems.found.append(
        f"could not {doing} within {seconds:.3g} s: this run is not steered; most_seconds_before is how long a job waits"
    )
    if not preparing.waited_for.withdraw():
        # Its record may hold the other decision, and no log may be taken for that one's.
        job = replace(job, key=f"{job.key}{UNSTEERED_END}")
    observed = partial(unsteered, job, preparing.place, "not decided in time")
    steering = problems.guard("observe the run", observed, None) or Steered(undecided(job))
    turn = replace(preparing.turn(job, steering, problems.found), is_late=True)
    problems.guard("record the run", lambda: aside(partial(_record_unsteered, turn, preparing.store_url)), None)
    return turn


def _record_unsteered(turn: Turn, store_url: str) -> None:
    """Record a run while it goes on, so that it can be harvested later."""
    with suppress(Exception), Store.open(store_url) as store:
        store.begin(turn.run)


def _steer(store: Store, preparing: Preparing) -> Steered | None:
    """What the history asks for, decided anew where others that begin just now took the same changes on trial."""
    job, place, problems = _in_its_mode(store, preparing), preparing.place, preparing.problems
    for _ in range(MOST_DECISIONS):
        with collection_paused():
            runs = problems.guard("read the history", lambda: known_runs(store, job.cohort, job.origin), list[Run]())
            steering = problems.guard("decide", partial(steered_now, store, job, place, runs, problems), None)
        steering = steering or problems.guard("observe the run", lambda: unsteered(job, place, "no decision"), None)
        if steering is None:
            return None
        with suppress(TriedMeanwhileError):
            return recorded(store, preparing, job, steering, _keys_since(runs, job.instance))
    others = partial(unsteered, job, place, "runs that began with it try the same changes")
    steering = problems.guard("observe the run", others, None)
    return recorded(store, preparing, job, steering, ()) if steering else None


def _keys_since(runs: Sequence[Run], instance: str) -> set[str]:
    """The keys of these runs, oldest first, but for those of an instance from before all that were read of others."""
    first = next((run.started_at for run in runs if run.instance != instance), None)
    return {run.key for run in runs if first is None or run.started_at >= first}


def _steer_as_decided_ahead(store: Store, preparing: Preparing) -> Steered | None:
    """What the history asks for, where that was worked out already."""
    if not preparing.place.directory:
        return None
    job = _in_its_mode(store, preparing)
    with collection_paused():
        marks = known_marks(store, job.cohort)
        ahead = ahead_of(store, job, marks)
        steering = steered_ahead(store, job, preparing.place, marks, ahead, preparing.problems)
        preparing.is_advised = steering is None and ahead is not None and ahead.is_advised
    with suppress(TriedMeanwhileError):
        return recorded(store, preparing, job, steering, {mark.key for mark in marks}) if steering else None
    return None


def _in_its_mode(store: Store, preparing: Preparing) -> JobToRun:
    """With what a person said of its cohort; observed where that cannot be read, for a person may have said so."""
    job = preparing.job
    return preparing.problems.guard("read the mode", lambda: as_told(store, job), replace(job, mode=Mode.OBSERVE))
