"""One turn of the loop around one Spark job: decide before it, harvest after it. Fails open at every step.

The Airflow operator and `spark-tuner submit` call `prepare` and `complete` and have no logic of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from functools import partial
from threading import Thread
from typing import TypeGuard

from tuner.advice.facts import Facts
from tuner.advice.oversized_hints import head_room
from tuner.advice.steering_reach import Reach
from tuner.cost.learned.has_learner import has_learner
from tuner.errors import EventLogNotFoundError, EventLogUnreadError, StoreError, TriedMeanwhileError
from tuner.eventlog.find import LogSource
from tuner.garbage_collection import collection_paused
from tuner.history.blocks_as_written import with_blocks_as_written
from tuner.history.failure import TELLS_FAILURES, UNSEEN, Ending, failure_in, failure_of
from tuner.history.outcome import state_of
from tuner.history.store import Store
from tuner.loop.books import keep_books
from tuner.loop.event_log_place import EventLogPlace, event_log_place
from tuner.loop.harvest import Harvest, harvest
from tuner.loop.known_runs import known_marks, known_runs
from tuner.loop.logs_of_runs import LogsOfRuns, log_of_run
from tuner.loop.namesakes import namesakes
from tuner.loop.next_decision import (
    HISTORY_RUNS,
    LEARN_RUNS,
    advised_on,
    context_of_next,
    facts_now,
    learned_from,
    load_rules,
    next_decision,
)
from tuner.loop.proofs import proofs_of
from tuner.loop.read_marks import MOST_DEATHS, has_killed_its_readers, marked, unmark
from tuner.loop.shared_directives import shared_with
from tuner.loop.stamps import advice_stamp, are_known, decision_stamp
from tuner.loop.turn import Job as Job
from tuner.loop.turn import Report as Report
from tuner.loop.turn import Turn as Turn
from tuner.loop.unstarted import did_not_start, may_not_start
from tuner.model.action import ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.application import Completeness, ProblemCode
from tuner.model.change import Change
from tuner.model.cohort_figures import Gained
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.failure import Failure
from tuner.model.imported_change import ImportedChange
from tuner.model.insight import Insight
from tuner.model.look_ahead import LookAhead
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Elsewhere, Origin, Outcome, Run, RunMark, RunState
from tuner.model.size_change import Resources, SizeChange, values_of
from tuner.model.verdict import Verdict
from tuner.policy.agent_not_loaded import why_no_agent
from tuner.policy.borrowed_changes import with_borrowed
from tuner.policy.context import Context
from tuner.policy.executor_cuts import executor_cuts
from tuner.policy.judgement import Judgement, judge
from tuner.policy.lent_changes import MOST_AGE, lent_changes
from tuner.policy.measure import latest_outcome, latest_usable, usable
from tuner.policy.measured_values import newest_of_each
from tuner.policy.memory_raises import memory_raises
from tuner.policy.size_cuts import size_cuts
from tuner.problems import Problems
from tuner.spark.version import major_minor
from tuner.steering.agent.agent_directives import AgentDirectives, SizeLimits, agent_directives
from tuner.steering.agent.build_ahead import build_ahead
from tuner.steering.directives import Directives, Steering
from tuner.steering.directives_of_decision import by_agent, by_conf, only_carried_out
from tuner.steering.lent_directives import lent_by_agent
from tuner.steering.steering_method import SteeringMethod, choose_method
from tuner.steering.submit_conf import observing_conf
from tuner.within_time import Consent, aside, within
from tuner.words.query_names import names_in

# With so many measured runs of its own a cohort needs no others to know what operators take.
TAUGHT_BY_OWN_RUNS = 3
# Of so many queries that others run a first run is told: those that gained most there.
MOST_LENT = 200
# Of so many other cohorts it is looked at what came of their changes.
MOST_COHORTS_ELSEWHERE = 20
# Tries of a run that are looked up by their keys.
MAX_TRIES = 10
# So often is a run decided while others begin that try what it was to try; then it tries nothing.
MOST_DECISIONS = 3
# A run without a log after this long has lost it.
LOST_AFTER = timedelta(days=2)
# At the end of a run's key, where its try had submitted it before, and where it runs as nobody waited for the decision.
_HEALING = "-healed"
_UNSTEERED = "-unsteered"
# Of no run: what is decided ahead is for none that has a key yet.
_NO_KEY = ""
# A job waits no longer for the log of an earlier run that ended unseen.
MAX_PENDING_SEARCH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Known:
    """What the decision on a job's next run rests on; `advice_stamp` tells what was advised from what would be on other runs."""

    job: Job
    runs: Sequence[Run]
    verdicts: Sequence[Verdict]
    earlier_tries: Sequence[Run]
    elsewhere: Elsewhere
    way: SteeringMethod
    facts: Facts | None
    advised: Sequence[Change]
    advice_stamp: str
    no_agent: str
    imported: Sequence[ImportedChange]

    @property
    def own_runs(self) -> int:
        return sum(map(usable, self.runs))


@dataclass(frozen=True, slots=True)
class _Steering:
    """A decision, and what carries it out: `conf` is all that is added to the submit."""

    decision: Decision
    directives: Directives = field(default_factory=Directives)
    conf: Mapping[str, str] = field(default_factory=dict)
    taught: str = ""
    names: Mapping[str, str] = field(default_factory=dict)


class _Begun(Enum):
    """What came of recording a run."""

    RECORDED = auto()
    NOT_RECORDED = auto()
    TRIED_MEANWHILE = auto()


def prepare(job: Job, store_url: str) -> Turn:
    """Decide how the next run is steered and record it as running. Never raises: without a store it runs unsteered, as where
    deciding takes longer than `job.most_seconds` allows."""
    preparing = _Preparing(job, store_url, datetime.now(UTC), time.monotonic(), job.most_seconds.before_run())
    try:
        return _prepared_in_time(preparing)
    except BaseException:
        # Who waited for it is ended by a signal, and submits nothing: a retry must not take this for a try that failed.
        if not preparing.waited_for.withdraw():
            _forget([job], store_url)
        raise


def _prepared_in_time(preparing: _Preparing) -> Turn:
    late = partial(_not_prepared, preparing)
    for step in (_looked_up, _prepared_ahead):
        if (turn := within(preparing.seconds_left, partial(step, preparing), late)) is not None:
            return turn
    since = time.monotonic()
    with suppress(Exception):
        load_rules()
    preparing.began += time.monotonic() - since
    return within(preparing.seconds_left, lambda: _prepared(preparing), late)


def load_beside() -> None:
    """Loads what `complete` needs while the job runs, where `prepare` did not. The interpreter's exit waits for it."""

    def load() -> None:
        with suppress(Exception):
            load_rules()

    with suppress(RuntimeError):
        Thread(target=load, name="spark-tuner").start()


@dataclass(slots=True)
class _Preparing:
    """How far a preparation has come, for who no longer waits for it."""

    job: Job
    store_url: str
    now: datetime
    began: float
    most_seconds: float
    usual_ms: float = 0.0
    store: Store | None = None
    place: EventLogPlace = field(default_factory=lambda: EventLogPlace(why="no event log"))
    problems: Problems = field(default_factory=Problems)
    waited_for: Consent = field(default_factory=Consent)

    @property
    def seconds_left(self) -> float:
        return self.began + self.most_seconds - time.monotonic()

    def turn(self, job: Job, steering: _Steering, problems: Sequence[str]) -> Turn:
        decided = (steering.decision, steering.directives, steering.conf)
        return Turn(job, *decided, self.place.directory, self.now, tuple(problems), steering.taught, steering.names)


def _looked_up(preparing: _Preparing) -> Turn | None:
    """None where there is a history to decide on. A job that takes long may wait longer for that."""
    job, problems = preparing.job, preparing.problems
    preparing.place = problems.guard("find a place for the event log", lambda: event_log_place(job), preparing.place)
    store = preparing.store = _opened(preparing)
    if store is None:
        return _observed(preparing)
    problems.found.extend(
        problems.guard("look at whose runs its cohort has", lambda: _mixed_up(store, job), list[str]())
    )
    preparing.usual_ms = problems.guard("look up how long its runs take", lambda: store.usual_ms(job.cohort), 0.0)
    preparing.most_seconds = job.most_seconds.before_run(preparing.usual_ms / 1e3)
    return None


def _mixed_up(store: Store, job: Job) -> list[str]:
    return [
        f"cohort {job.cohort} has the runs of task {task_id} of DAG {dag_id}, too, which is called the same: give each a cohort= "
        "of its own"
        for dag_id, task_id in namesakes(store, job)
    ]


def _prepared_ahead(preparing: _Preparing) -> Turn | None:
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


def _place_that_starts(store: Store, preparing: _Preparing) -> EventLogPlace:
    """No place for its event log where Spark may not start for it. What the user has on stays on."""
    job, place = preparing.job, preparing.place
    # Where logs land late, one that was not there when its job had failed tells nothing.
    is_told = bool(place.conf) and not job.log_lands_late
    if not is_told or not (may_not_start(_earlier_tries(store, job)) or _did_not_start(store, preparing)):
        return place
    return EventLogPlace(
        why="an earlier try failed and left no event log: Spark might not start where its driver cannot write there; set "
        "event_log_base to a directory or URL that the driver can write to and this machine can read"
    )


def _did_not_start(store: Store, preparing: _Preparing) -> bool:
    if preparing.usual_ms:  # one that was measured left a log
        return False
    return did_not_start(store.runs(preparing.job.cohort, HISTORY_RUNS, brief=True), preparing.now)


def _prepared(preparing: _Preparing) -> Turn:
    observed = _observed(preparing)
    store = _opened(preparing)
    if store is None:
        return replace(observed, problems=tuple(preparing.problems.found))
    steering = _steer(store, preparing)
    preparing.problems.guard("close the history store", store.close, None)
    found = preparing.problems.found
    return preparing.turn(preparing.job, steering, found) if steering else replace(observed, problems=tuple(found))


def _opened(preparing: _Preparing) -> Store | None:
    return preparing.problems.guard("open the history store", lambda: Store.open(preparing.store_url), None)


def _observed(preparing: _Preparing) -> Turn:
    """The turn of a job without a history."""
    job, problems = preparing.job, preparing.problems
    observed = partial(_unsteered, job, preparing.place, "no history at hand")
    steering = problems.guard("observe the run", observed, None) or _Steering(_undecided(job))
    return preparing.turn(job, steering, problems.found)


def _not_prepared(preparing: _Preparing) -> Turn:
    """The turn of a job that waits no longer: unsteered, and recorded as that while it runs."""
    job, problems, seconds = preparing.job, Problems(preparing.problems.found), preparing.most_seconds
    doing = preparing.problems.doing or "decide"
    problems.found.append(
        f"could not {doing} within {seconds:.3g} s: this run is not steered; most_seconds_before is how long a job waits"
    )
    if not preparing.waited_for.withdraw():
        # Its record may hold the other decision, and no log may be taken for that one's.
        job = replace(job, key=f"{job.key}{_UNSTEERED}")
    observed = partial(_unsteered, job, preparing.place, "not decided in time")
    steering = problems.guard("observe the run", observed, None) or _Steering(_undecided(job))
    turn = replace(preparing.turn(job, steering, problems.found), is_late=True)
    problems.guard("record the run", lambda: aside(partial(_record_unsteered, turn, preparing.store_url)), None)
    return turn


def _record_unsteered(turn: Turn, store_url: str) -> None:
    """Record a run while it goes on, so that it can be harvested later."""
    with suppress(Exception), Store.open(store_url) as store:
        store.begin(turn.run)


def _steer(store: Store, preparing: _Preparing) -> _Steering | None:
    """What the history asks for, decided anew where others that begin just now took the same changes on trial."""
    job, place, problems = _in_its_mode(store, preparing), preparing.place, preparing.problems
    for _ in range(MOST_DECISIONS):
        with collection_paused():
            runs = problems.guard("read the history", lambda: known_runs(store, job.cohort), list[Run]())
            steering = problems.guard("decide", partial(_decided, store, job, place, runs, problems), None)
        steering = steering or problems.guard("observe the run", lambda: _unsteered(job, place, "no decision"), None)
        if steering is None:
            return None
        with suppress(TriedMeanwhileError):
            return _recorded(store, preparing, job, steering, {run.key for run in runs})
    others = partial(_unsteered, job, place, "runs that began with it try the same changes")
    steering = problems.guard("observe the run", others, None)
    return _recorded(store, preparing, job, steering, ()) if steering else None


def _steer_as_decided_ahead(store: Store, preparing: _Preparing) -> _Steering | None:
    """What the history asks for, where that was worked out already."""
    if not preparing.place.directory:
        return None
    job = _in_its_mode(store, preparing)
    with collection_paused():
        marks = known_marks(store, job.cohort)
        steering = _decided_ahead(store, job, preparing.place, marks, preparing.problems)
    with suppress(TriedMeanwhileError):
        return _recorded(store, preparing, job, steering, {mark.key for mark in marks}) if steering else None
    return None


def _in_its_mode(store: Store, preparing: _Preparing) -> Job:
    """With what a person said of its cohort."""
    job = preparing.job
    return preparing.problems.guard("read the mode", lambda: _as_told(store, job), job)


def _as_told(store: Store, job: Job) -> Job:
    mode, objective = store.mode(job.cohort), store.objective(job.cohort)
    return replace(job, mode=mode or job.mode, objective=objective or job.objective)


def _recorded(
    store: Store, preparing: _Preparing, job: Job, steering: _Steering, decided_with: Collection[str]
) -> _Steering | None:
    """The steering, once it is recorded: what is not cannot be verified or rolled back, and then nothing is in force.
    `decided_with` are the keys of the runs that it rests on: TriedMeanwhileError as Store.begin raises it."""
    run = preparing.turn(job, steering, ()).run
    begin = partial(_begin, store, run, preparing.waited_for, job.tags, decided_with)
    begun = preparing.problems.guard("record the run", begin, _Begun.NOT_RECORDED)
    if begun is _Begun.RECORDED:
        return steering
    if begun is _Begun.TRIED_MEANWHILE:
        raise TriedMeanwhileError(f"a run that began meanwhile tries a change of run {run.key}")
    unrecorded = partial(_unsteered, job, preparing.place, "not recorded")
    return preparing.problems.guard("observe the run", unrecorded, None)


def _catch_up(store: Store, preparing: _Preparing) -> None:
    """Harvest earlier runs, for half of the time that is left: what takes longer goes on while the job runs."""
    job = preparing.job
    pending = [run for run in store.pending(job.cohort) if run.key != job.key]
    if not pending:
        return
    problems = Problems()

    def settle() -> tuple[str, ...]:
        problems.guard("harvest earlier runs", lambda: _settle_all(pending, preparing, problems), None)
        return tuple(problems.found)

    seconds = preparing.seconds_left / 2
    late = f"could not {{}} within {seconds:.1f} s: it goes on while this job runs; the decision is made without it"
    found = within(seconds, settle, lambda: (*problems.found, late.format(problems.doing or "harvest earlier runs")))
    preparing.problems.found.extend(found)


def _settle_all(pending: Sequence[Run], preparing: _Preparing, problems: Problems) -> None:
    """Bring in runs whose driver did not live to harvest them; others may still be running, and are left alone."""
    job, now = preparing.job, preparing.now
    runs = [run for run in pending if not _is_beside(job, run) or _is_given_up(job, run, now)]
    logs = LogsOfRuns(runs, job.access, MAX_PENDING_SEARCH_SECONDS)
    with Store.open(preparing.store_url) as store:
        for run in runs:
            step = partial(_settle, store, job, run, logs, now, problems)
            problems.guard(f"harvest run {run.key}", step, None)


def _elsewhere(store: Store, job: Job, runs: Sequence[Run]) -> Elsewhere:
    """What other cohorts teach; their runs only for as long as this one has few of its own."""
    return store.elsewhere(job.cohort, MOST_COHORTS_ELSEWHERE, LEARN_RUNS if _is_new(runs) else 0)


def _is_new(runs: Sequence[Run]) -> bool:
    return sum(usable(run) for run in runs) < TAUGHT_BY_OWN_RUNS


def _known(store: Store, job: Job, runs: Sequence[Run], spark_version: str, problems: Problems) -> _Known:
    elsewhere = problems.guard("look at other cohorts", lambda: _elsewhere(store, job, runs), Elsewhere())
    no_agent = why_no_agent(runs, datetime.now(UTC))
    way = choose_method(job.steering, job.submission, spark_version, no_agent)
    reach = _reach(job, way)
    stamp = "" if _is_new(runs) else advice_stamp([run.mark for run in runs], reach)
    ahead = store.look_ahead(job.cohort) if stamp else None
    if ahead is not None and ahead.advice_stamp != stamp:
        ahead = None
    facts = facts_now(runs, reach, problems, elsewhere, ahead.prices if ahead else None)
    advised = ahead.advised if ahead else advised_on(facts, problems)
    verdicts, tries = store.verdicts(job.cohort), _earlier_tries(store, job)
    imported = problems.guard("look at what was imported", lambda: store.imports(job.cohort), list[ImportedChange]())
    return _Known(job, runs, verdicts, tries, elsewhere, way, facts, advised, stamp, no_agent, imported)


def _decided(store: Store, job: Job, place: EventLogPlace, runs: Sequence[Run], problems: Problems) -> _Steering:
    if not place.directory:
        return _unsteered(job, place)
    if not runs and job.mode is Mode.AUTO and job.try_number == 1:
        lent = problems.guard("look at what other jobs lend", lambda: _lent(store, job, place), None)
        if lent is not None:
            return lent
    latest = latest_outcome(runs)
    known = _known(store, job, runs, latest.spark_version if latest else "", problems)
    _have_jar_built(job, known.way, problems)
    decision = _decide(known, problems)
    queries = newest_of_each(runs)
    limits = _size_limits(known.facts, decision, queries) if known.facts and known.way.route else SizeLimits()
    told = partial(agent_directives, decision, queries, limits)
    directives = _carry_out(job, _sharing(known.way, job, place), decision, told, lambda: queries, problems)
    taught = learned_from(known.own_runs, known.elsewhere, learns=has_learner())
    return _steering(job, place, decision, directives, taught, names_in(runs))


def _decided_ahead(
    store: Store, job: Job, place: EventLogPlace, marks: Sequence[RunMark], problems: Problems
) -> _Steering | None:
    """What was decided when the last run ended; None where anything that it rests on may have changed since."""
    ahead = store.look_ahead(job.cohort)
    if ahead is None or not ahead.stamp:
        return None
    way = choose_method(job.steering, job.submission, ahead.spark_version, ahead.no_agent)
    reach = _reach(job, way)
    advice = advice_stamp(marks, reach)
    elsewhere = store.elsewhere(job.cohort, MOST_COHORTS_ELSEWHERE, 0)
    verdicts, imported = store.verdicts(job.cohort), store.imports(job.cohort)
    stamp = decision_stamp(job, way, reach, advice, marks, verdicts, elsewhere, imported)
    if stamp != ahead.stamp:
        return None
    _have_jar_built(job, way, problems)
    told = AgentDirectives(ahead.message, ahead.skipped)
    way = _sharing(way, job, place)
    directives = _carry_out(job, way, ahead.decision, lambda: told, lambda: _newest(store, job), problems)
    taught = learned_from(ahead.own_runs, Elsewhere(), learns=ahead.has_learner)
    return _steering(job, place, ahead.decision, directives, taught, ahead.names)


def _sharing(way: SteeringMethod, job: Job, place: EventLogPlace) -> SteeringMethod:
    return replace(way, route=replace(way.route, share=shared_with(job, place))) if way.route else way


def _newest(store: Store, job: Job) -> list[Query]:
    return newest_of_each(known_runs(store, job.cohort))


def _have_jar_built(job: Job, way: SteeringMethod, problems: Problems) -> None:
    if way.route is not None and job.mode is not Mode.OBSERVE:
        problems.guard("have the agent's jar built", partial(build_ahead, way.route), None)


def _steering(
    job: Job, place: EventLogPlace, decided: Decision, directives: Directives, taught: str, names: Mapping[str, str]
) -> _Steering:
    """A decision as far as its directives carry it out."""
    decision = only_carried_out(decided, directives)
    directives = replace(directives, sizes={one.property: one.value for one in decision.sizes})
    conf = _submit_conf(job, decision, directives, place)
    return _Steering(decision, directives, conf, taught, _names(decision, names))


def _lent(store: Store, job: Job, place: EventLogPlace) -> _Steering | None:
    """The first run of a cohort with what others have proven; None where there is nothing, or no agent to carry it out."""
    way = choose_method(job.steering, job.submission, "")
    if way.route is None or not job.borrows:
        return None
    now, spark = datetime.now(UTC), job.submission.spark
    proofs = store.proofs(job.cohort, now - MOST_AGE, MOST_LENT)
    if not proofs:
        return None
    # In cluster mode the Spark at hand may be another one than the cluster's.
    version = spark.version if spark and not job.submission.in_cluster_mode else ""
    found = lent_changes(
        proofs,
        *store.said_of({proof.cohort for proof in proofs}),
        store.verdicts(job.cohort),
        now=now,
        spark_version=version,
        conf={**job.submission.conf, **job.user_conf},
    )
    directives, carried = lent_by_agent(found, job.user_conf, way.route, job.order_sensitive)
    if not carried:
        return None
    lent = tuple(d for one in carried for d in one.changes)
    decision = Decision(job.mode, (), lent=lent, objective=job.objective)
    return _Steering(decision, directives, _submit_conf(job, decision, directives, place))


def _names(decision: Decision, names: Mapping[str, str]) -> dict[str, str]:
    """Of the queries that the decision changes, what they are called."""
    return {query: names[query] for decided in decision.changes for query in decided.queries}


def withdraw(turns: Sequence[Turn], store_url: str) -> None:
    """Record that prepared runs, of one task, were never submitted with their decisions: they tell nothing of these. Never
    raises."""

    def withdrawn() -> None:
        with Store.open(store_url) as store:
            for turn in turns:
                with suppress(StoreError):  # One that was not decided in time may never have been recorded.
                    store.finish(turn.job.key, RunState.LOST, datetime.now(UTC), None)

    with suppress(Exception):
        within(turns[0].job.most_seconds.after_run(), withdrawn)


def forget(turns: Sequence[Turn], store_url: str) -> None:
    """Take prepared runs, of one task, that were never submitted out of the history. Never raises."""
    _forget([turn.job for turn in turns], store_url)


def _forget(jobs: Sequence[Job], store_url: str) -> None:
    def forgotten() -> None:
        with Store.open(store_url) as store:
            for job in jobs:
                store.forget(job.key)

    with suppress(Exception):
        within(jobs[0].most_seconds.after_run(), forgotten)


def submitted(origin: Origin, job: Callable[[Run], Job], store_url: str, most_seconds: float) -> list[Turn]:
    """The turns of a task instance whose jobs were submitted and not harvested yet, by another process maybe; none where the
    history store does not tell within `most_seconds`. Never raises. `job` is what is known of a run's job now."""

    def pending() -> list[Turn]:
        with Store.open(store_url) as store:
            return [
                Turn(job(run), run.decision, Directives(), {}, run.event_log_dir, run.started_at)
                for run in store.pending_of(origin)
            ]

    with suppress(Exception):
        return within(most_seconds, pending)
    return []


def complete(turn: Turn, store_url: str, *, failed: bool | None, ending: Ending = UNSEEN) -> Report:
    """Harvest the run's event log and store its outcome. Never raises. `ending` is what its driver saw of the job's end; where
    it saw none (`failed` is None), the log tells.

    What takes longer than `turn.job.most_seconds` allows is left for the cohort's next decision, as is a log that is to land
    later than its job ends.
    """
    most_seconds = turn.job.most_seconds.after_run((datetime.now(UTC) - turn.started_at).total_seconds())
    completing = _Completing(turn, store_url, failed, ending, Problems(turn.problems), most_seconds)
    return within(most_seconds, lambda: _completed(completing), lambda: _not_completed(completing))


@dataclass(slots=True)
class _Completing:
    """How far a completion has come, for who no longer waits for it."""

    turn: Turn
    store_url: str
    failed: bool | None
    ending: Ending
    problems: Problems
    most_seconds: float
    # The log may be there, and could not be read now.
    is_unread: bool = False
    stored: Run | None = None
    judged: Judgement | None = None


def _not_completed(completing: _Completing) -> Report:
    turn, run, problems = completing.turn, completing.stored, completing.problems
    left = "the run is stored" if run else "left for the cohort's next decision"
    late = (
        f"could not {problems.doing or 'harvest the run'} within {completing.most_seconds:.3g} s: {left}; "
        "most_seconds_after is how long a job waits"
    )
    seen = _failure(None, None, completing.ending) if completing.failed else None
    failure = run.failure if run else seen
    found = (*problems.found, late)
    return Report(turn, run if run and run.outcome else None, found, completing.judged, failure, is_late=True)


def _completed(completing: _Completing) -> Report:
    turn, store_url, problems = completing.turn, completing.store_url, completing.problems
    found = problems.guard("harvest the event log", partial(_harvest_of, completing), None)
    if not completing.failed and (why := _why_later(completing, found)):
        # Of earlier runs, which this one's decision read.
        _booked(completing, None)
        return Report(turn, None, (*problems.found, f"{why}: the cohort's next decision reads it"))
    failed = completing.failed
    if failed is None:
        failed = not _has_ended(found) or found.has_failed
    outcome = problems.guard("read the plans", found.outcome, None) if found else None
    if outcome:
        known = partial(_outcomes_in, store_url, turn.job.cohort)
        look = partial(with_blocks_as_written, outcome, known)
        outcome = problems.guard("look at earlier blocks of joins", look, outcome)
    state = state_of(found.application if found else None, failed=failed)
    failure = _failure(found, outcome, completing.ending) if state is RunState.FAILED else None
    outcome = replace(outcome, failure=failure) if outcome and failure else outcome
    run = with_borrowed(replace(turn.run, state=state, ended_at=datetime.now(UTC), outcome=outcome))
    turn = replace(turn, decision=run.decision)
    stored = problems.guard("store the outcome", lambda: _finish(store_url, run, seen=bool(completing.failed)), False)
    completing.stored = run if stored else None
    look_back = partial(_look_back, turn, store_url, run, found, problems)
    judged, outlook = (problems.guard("look back at the run", look_back, None) if stored else None) or (None, None)
    completing.judged = judged
    gained = _booked(completing, outlook) if stored else None
    return Report(turn, run if run.outcome else None, tuple(problems.found), judged, failure, gained)


def _why_later(completing: _Completing, found: Harvest | None) -> str:
    """Why the log is left for later; "" where it tells now what it ever will."""
    if completing.is_unread:
        return "the event log could not be read"
    late = completing.turn.job.log_lands_late and not _has_ended(found)
    return "the event log is not there yet" if late else ""


def _booked(completing: _Completing, outlook: Decision | None) -> Gained | None:
    """What the run gained, as it is booked."""

    def keep() -> Gained | None:
        with Store.open(completing.store_url) as store:
            return keep_books(store, completing.turn.job.cohort, outlook, completing.turn.job.key)

    return completing.problems.guard("keep the books", keep, None)


def _submit_conf(job: Job, decision: Decision, directives: Directives, place: EventLogPlace) -> dict[str, str]:
    is_tuned = job.resources is Resources.TUNE
    observing = {}
    if place.directory:
        observing = observing_conf(job.cohort, job.key, place.conf, decision, polls=is_tuned)
    return {**{k: v for k, v in observing.items() if k not in job.user_conf}, **directives.conf}


def _unsteered(job: Job, place: EventLogPlace, why: str = "") -> _Steering:
    code = ReasonCode.UNSTEERED if place.directory else ReasonCode.UNOBSERVED
    decision = Decision(job.mode, (), unsteered=Reason(code, {"why": place.why or why}))
    return _Steering(decision, conf=_submit_conf(job, decision, Directives(), place))


def _look_back(
    turn: Turn, store_url: str, run: Run, found: Harvest | None, problems: Problems
) -> tuple[Judgement | None, Decision | None]:
    """What came of the run's changes, and the decision for the next; what people are to see of it is stored."""
    judging = bool(run.decision.in_force and run.outcome)
    if not judging and found is None:
        if run.state is RunState.FAILED and run.decision.in_force:
            # What was proven may have made it: until a run tells, others are lent none of it.
            with Store.open(store_url) as store:
                store.prove(run.cohort, ())
        return None, None
    with Store.open(store_url) as store:
        runs = known_runs(store, run.cohort)
        judged, outlook = None, None
        if judging:
            judged = problems.guard("judge the run", lambda: judge(run, runs, store.verdicts(run.cohort)), None)
        if found is not None:
            add = partial(_add_details, turn, store, runs, found, problems)
            outlook = problems.guard("look at the run for people", add, None)
    return judged, outlook


def _add_details(turn: Turn, store: Store, runs: Sequence[Run], found: Harvest, problems: Problems) -> Decision | None:
    """What people see of this run, with what would be decided for one that started now, which is returned."""
    # Only what has run needs these rules.
    from tuner.advice.insights.join_order import unsure_orders

    job = _as_told(store, turn.job)
    outlook, known = _look_ahead(store, job, runs, found.application.spark_version, problems)
    facts = known.facts if known else None
    orders = problems.guard(
        "look at join orders", lambda: tuple(unsure_orders(facts) if facts else ()), tuple[Insight, ...]()
    )
    store.add_details(turn.job.key, found.details(outlook, orders))
    if known and outlook:
        problems.guard("tell what was proven", partial(_prove, store, known, outlook), None)
    return outlook


def _look_ahead(
    store: Store, job: Job, runs: Sequence[Run], spark_version: str, problems: Problems
) -> tuple[Decision | None, _Known | None]:
    """The decision for a run that would start now, which is kept for it, and what it rests on."""
    job, before = replace(job, key=_NO_KEY, try_number=1), len(problems.found)
    known = problems.guard("look at what is known", lambda: _known(store, job, runs, spark_version, problems), None)
    outlook = problems.guard("look ahead", lambda: _decide(known, problems) if known else None, None)
    if known and outlook and len(problems.found) == before:
        problems.guard("keep what was decided ahead", lambda: _keep_ahead(store, known, outlook), None)
    return outlook, known


def _keep_ahead(store: Store, known: _Known, outlook: Decision) -> None:
    """Stores the decision for the next run, which that takes up where nothing has changed by then."""
    latest = latest_outcome(known.runs)
    if not known.advice_stamp or latest is None or known.facts is None:
        return
    job, runs, way = known.job, known.runs, known.way
    marks, reach = [run.mark for run in runs], _reach(job, way)
    rests_on = (known.verdicts, known.elsewhere, known.imported)
    stamp = decision_stamp(job, way, reach, known.advice_stamp, marks, *rests_on)
    # The run that ended may have had another Spark than the latest that measured anything.
    is_certain = choose_method(job.steering, job.submission, latest.spark_version, known.no_agent) == way and are_known(
        [*known.advised, *(decided.change for run in runs for decided in run.decision.changes)]
    )
    told = AgentDirectives()
    if way.route is not None:
        queries = newest_of_each(runs)
        told = agent_directives(outlook, queries, _size_limits(known.facts, outlook, queries))
    store.keep_look_ahead(
        job.cohort,
        LookAhead(
            stamp if is_certain else "",
            outlook,
            latest.spark_version,
            known.own_runs,
            has_learner(),
            told.text,
            told.skipped,
            _names(outlook, names_in(runs)),
            asdict(known.facts.prices),
            tuple(known.advised),
            known.advice_stamp,
            known.no_agent,
        ),
    )


def _prove(store: Store, known: _Known, outlook: Decision) -> None:
    """What other jobs may be lent since this run."""
    facts = known.facts
    if facts is None:
        return
    store.prove(known.job.cohort, proofs_of(known.job.cohort, outlook, known.runs, partial(_size_limits, facts)))


def _reach(job: Job, way: SteeringMethod) -> Reach:
    return Reach.AGENT if way.route is not None else Reach.TEXT if job.statements else Reach.CONF


def _decide(known: _Known, problems: Problems) -> Decision:
    job, way = known.job, known.way
    raises = problems.guard("look at what memory the job needs", partial(_raises, known), tuple[SizeChange, ...]())
    raised = {one.property: one.value for one in raises}
    decided = next_decision(
        known.runs,
        known.facts,
        key=job.key,
        try_number=job.try_number,
        # Without steering nothing is in force: as in observe.
        mode=Mode.OBSERVE if way.steering is Steering.OFF else job.mode,
        verdicts=known.verdicts,
        reach=_reach(job, way),
        problems=problems,
        earlier_tries=known.earlier_tries,
        to_come=_context(job, known.runs, raises),
        elsewhere=known.elsewhere,
        advised=known.advised,
        # What heals a death is as if its author had set it: where broadcasts are off, none is tried.
        own_conf={**job.submission.conf, **job.user_conf, **raised},
        user_conf={**job.user_conf, **raised},
        objective=job.objective,
        imported=known.imported,
    )
    taken = partial(_cuts, known, raises, decided)
    cuts = problems.guard("look at what the job never uses", taken, tuple[SizeChange, ...]())
    return replace(decided, raises=raises, cuts=cuts)


def _is_sized(known: _Known) -> bool:
    """Whether the run's driver can set its sizes, and nobody has asked to change nothing."""
    job = known.job
    is_steered = job.mode is Mode.AUTO and known.way.steering is not Steering.OFF
    return is_steered and job.resources is not Resources.OBSERVE


def _cuts(known: _Known, raises: Sequence[SizeChange], decided: Decision) -> tuple[SizeChange, ...]:
    """What the run gets less of memory and executors. One of many mapped instances may need what the others do not."""
    job = known.job
    if not _is_sized(known) or job.resources is not Resources.TUNE or job.is_mapped or raises:
        return ()
    if any(run.decision.cuts for run in known.earlier_tries):
        return ()  # Whatever made that fail, this one has all that its author asks for.
    tries = {run.key: run for run in (*known.runs, *known.earlier_tries) if run.key != job.key}
    in_order = sorted(tries.values(), key=lambda run: run.started_at)
    own_conf, may_step = {**job.submission.conf, **job.user_conf}, job.try_number == 1
    # A change on trial is judged by the core time that runs hold, too.
    is_trial = any(d.standing is Standing.TRIAL for d in decided.in_force)
    in_force = frozenset(d.id for d in decided.in_force)
    fewer = executor_cuts(in_order, own_conf, job.objective, in_force, may_step=may_step and not is_trial)
    # One step at a time: which of two a run was slower for, or failed, would not be known.
    is_step = not any(values_of(fewer) <= values_of(run.decision.cuts) for run in in_order)
    if job.memory_limits.shapes:
        return fewer  # The service has least containers, too.
    return (*size_cuts(in_order, own_conf, may_step=may_step and not is_step), *fewer)


def _raises(known: _Known) -> tuple[SizeChange, ...]:
    """What the run gets more of memory."""
    job = known.job
    if not _is_sized(known):
        return ()
    # What one of many mapped instances needs, the others need not: it is given more only where it itself died.
    tries = {run.key: run for run in (*(() if job.is_mapped else known.runs), *known.earlier_tries)}
    in_order = sorted(tries.values(), key=lambda run: run.started_at)
    return memory_raises(in_order, {**job.submission.conf, **job.user_conf}, job.memory_limits)


def _context(job: Job, runs: Sequence[Run], raises: Sequence[SizeChange]) -> Context | None:
    spark = job.submission.spark
    # In cluster mode the Spark at hand may be another one than the cluster's.
    version = spark.version if spark and not job.submission.in_cluster_mode else ""
    latest = latest_usable(runs)
    # What the latest run had in place of its own, is not what this one has by itself.
    own = {one.property: one.was for one in latest.decision.sizes if one.was} if latest else {}
    raised = {one.property: one.value for one in raises}
    return context_of_next(runs, version, {**own, **job.submission.conf, **job.user_conf, **raised})


def healing(job: Job) -> Job:
    """The same job as it is submitted once more in its try: as in the next one, under a key of its own."""
    return replace(job, key=f"{job.key}{_HEALING}", try_number=job.try_number + 1)


def _earlier_tries(store: Store, job: Job) -> list[Run]:
    """The tries before this one: of many mapped task instances' runs the latest few may not hold them."""
    stem = job.key.rsplit("/", 1)[0]
    numbers = range(max(1, job.try_number - MAX_TRIES), job.try_number)
    endings = ("", _UNSTEERED, _HEALING, f"{_HEALING}{_UNSTEERED}")
    tries = (store.run(f"{stem}/{number}{ending}") for number in numbers for ending in endings)
    return [run for run in tries if run is not None and run.key != job.key]


def _carry_out(
    job: Job,
    way: SteeringMethod,
    decision: Decision,
    told: Callable[[], AgentDirectives],
    queries: Callable[[], Sequence[Query]],
    problems: Problems,
) -> Directives:
    """The directives, with what the agent is told; for queries as they last ran by conf, where it cannot be had after all."""
    if way.steering is Steering.OFF:
        return Directives(steering=Steering.OFF)
    why = way.why
    if (route := way.route) is not None:
        by = problems.guard(
            "steer by the agent",
            lambda: by_agent(decision, job.user_conf, told(), route, job.order_sensitive),
            None,
        )
        if by is not None:
            return by
        why = "it could not be handed over"
    return by_conf(decision, job.user_conf, job.statements, queries() if job.statements else (), why)


def _size_limits(facts: Facts, decision: Decision, queries: Sequence[Query]) -> SizeLimits:
    """Of each hint and order by the executions that it is for: other values make relations of other sizes."""
    # It loads numpy, which parsing a DAG does not wait for.
    from tuner.advice.order_bounds import order_bounds

    orders = [action for action in decision.actions if action.kind is ActionKind.ORDER_JOINS]
    of_hints: dict[str, int] = {}
    of_orders: dict[str, dict[str, SizeBounds]] = {}
    for decided in decision.in_force:
        for action in decided.change.actions:
            of_it = (q for q in queries if q.fingerprint == action.query)
            mine = tuple(q for q in of_it if q.literals in decided.literals) or facts.queries
            measured = replace(facts, queries=mine)
            if action.kind is ActionKind.HINT_JOIN:
                of_hints |= head_room(measured, [action, *orders])
            elif action.kind is ActionKind.ORDER_JOINS:
                of_orders |= order_bounds(measured, [action])
    return SizeLimits(of_hints, facts.cap.one_bytes, of_orders)


def _undecided(job: Job) -> Decision:
    return Decision(job.mode, (), unsteered=Reason(ReasonCode.UNSTEERED, {"why": ""}))


def _begin(
    store: Store, run: Run, waited_for: Consent, tags: Collection[str] | None, decided_with: Collection[str]
) -> _Begun:
    """Whether the run is recorded: what is decided too late for the job to have it never is."""
    try:
        begun = store.begin(run, waited_for.take, tags, decided_with)
    except TriedMeanwhileError:
        return _Begun.TRIED_MEANWHILE
    if begun and waited_for.withdrawn:
        store.finish(run.key, RunState.LOST, run.started_at, None)
    return _Begun.RECORDED if begun else _Begun.NOT_RECORDED


def _finish(store_url: str, run: Run, *, seen: bool) -> bool:
    with Store.open(store_url) as store:
        # Whatever was recorded before it: this decision is what the run was submitted with.
        store.begin(run.begun)
        store.finish(run.key, run.state, run.ended_at or datetime.now(UTC), run.outcome, seen=seen)
    return True


def _harvest_of(completing: _Completing) -> Harvest | None:
    """What the run's event log tells; None for a run that was to leave none, which was said before it."""
    turn = completing.turn
    if not turn.event_log_dir:
        return None
    try:
        log = log_of_run(turn.event_log_dir, turn.job.key, turn.started_at, turn.job.access)
        found = harvest(log, for_people=True)
    except EventLogNotFoundError:
        raise
    except Exception:
        completing.is_unread = True
        raise
    completing.is_unread = any(p.code is ProblemCode.UNREADABLE_FILE for p in found.application.problems)
    return found


def _outcomes_in(store_url: str, cohort: str) -> list[Outcome]:
    with Store.open(store_url) as store:
        return _outcomes(store, cohort)


def _outcomes(store: Store, cohort: str) -> list[Outcome]:
    return [run.outcome for run in known_runs(store, cohort) if run.outcome]


def _failure(found: Harvest | None, outcome: Outcome | None, ending: Ending = UNSEEN) -> Failure | None:
    """Why a run failed, by its log and how its driver ended."""
    ended = found is None or found.application.end_ms is not None
    if found is None or outcome is None:
        return failure_of(None, ending, ended=ended)
    application, queries = found.application, outcome.queries
    logged = failure_in(application.failures, queries, application.executors.count, ending)
    tells_all = major_minor(outcome.spark_version) >= TELLS_FAILURES
    return failure_of(logged, ending, ended=ended, tells_all=tells_all, queries=queries)


def _is_superseded(job: Job, run: Run) -> bool:
    """Whether the job is a later try of the run."""
    return run.key.rsplit("/", 1)[0] == job.key.rsplit("/", 1)[0]


def _is_given_up(job: Job, run: Run, now: datetime) -> bool:
    return _is_superseded(job, run) or now - run.started_at > LOST_AFTER


def _is_beside(job: Job, run: Run) -> bool:
    """Whether the run is another instance of the same mapped task: its own process harvests it, and each of many would look."""
    mine, other = job.origin, run.origin
    return mine is not None and other is not None and mine != other and replace(other, map_index=mine.map_index) == mine


def _settle(store: Store, job: Job, run: Run, logs: LogsOfRuns, now: datetime, problems: Problems) -> None:
    superseded, given_up = _is_superseded(job, run), _is_given_up(job, run, now)
    try:
        log = logs.of(run)
        if not given_up and _is_being_written(log):
            return
        if has_killed_its_readers(job, run.key):
            raise EventLogUnreadError(f"{MOST_DEATHS} that read its log were ended while they did")
        with marked(job, run.key):
            found = harvest(log).as_ended(now)
    except Exception as error:
        if given_up:
            store.finish(run.key, RunState.FAILED if superseded else RunState.LOST, now, None)
            if isinstance(error, EventLogUnreadError):
                problems.found.append(f"gave up the log of run {run.key}: {error}")
            unmark(job, run.key)
        return
    if given_up or found.application.status is Completeness.COMPLETE:
        # Its driver process was killed or its worker lost: whether the task counted as failed, nobody tells.
        state = RunState.FAILED if superseded else state_of(found.application, failed=found.has_failed)
        outcome = problems.guard(f"read the plans of run {run.key}", found.outcome, None)
        if outcome:
            outcome = with_blocks_as_written(outcome, partial(_outcomes, store, run.cohort))
        if outcome and state is RunState.FAILED:
            outcome = replace(outcome, failure=_failure(found, outcome))
        ended = with_borrowed(replace(run, state=state, ended_at=now, outcome=outcome))
        if ended.decision != run.decision:
            store.begin(ended.begun)
        store.finish(run.key, state, now, ended.outcome)


def _is_being_written(log: LogSource) -> bool:
    """Whether its application runs: not worth reading yet."""
    return log.in_progress and not log.delivered


def _has_ended(found: Harvest | None) -> TypeGuard[Harvest]:
    return found is not None and found.application.status is Completeness.COMPLETE
