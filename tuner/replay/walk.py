"""The walk over a cohort's runs in time order: at each, the decision that the past alone would have made."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from tuner.advice.steering_reach import Reach, reach_of
from tuner.loop.next_decision import context_of_next, facts_now, next_decision
from tuner.model.decision import Decision, Mode
from tuner.model.objective import Objective
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.model.verdict import Verdict
from tuner.policy.context import Context
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.measure import seconds_by_query
from tuner.policy.overlap import clock_share
from tuner.policy.usable import latest_outcome, latest_usable, usable
from tuner.problems import Problems
from tuner.replay.cohort_replay import LoggedRun, Observed, ReplayedRun, Upcoming
from tuner.replay.held_cores import held_cores
from tuner.replay.lack import lack_of
from tuner.replay.observed import Observer
from tuner.replay.run_in_effect import after, run_in_effect
from tuner.spark.knobs import DRIVER_MEMORY
from tuner.spark.version import major_minor
from tuner.steering.submit_conf import changes_digest
from tuner.words.query_names import QueryNames


@dataclass(frozen=True, slots=True)
class Walker:
    """How a walk decides. `agent` says that the Catalyst agent carries changes into runs, where Spark has a place for it,
    `text` that else hints in their SQL text can, `objective` what changes are judged by.
    """

    mode: Mode = Mode.AUTO
    agent: bool = True
    text: bool = False
    verdicts: tuple[Verdict, ...] = ()
    objective: Objective = Objective.TIME

    def walk(
        self, runs: Iterable[LoggedRun], problems: Problems, walked: Iterable[ReplayedRun] = ()
    ) -> Generator[ReplayedRun, None, Upcoming]:
        """Each run of one cohort, which come oldest first; returns what a run that would come now is given.

        `walked` are the first of them, as an earlier walk of this walker had them: they are not decided on once more.

        Memory: the runs that a decision looks at (HISTORY_RUNS). What fails is a line of `problems`, and the run is
        replayed as observed.
        """
        past: deque[Run] = deque(maxlen=HISTORY_RUNS)
        observer, names = Observer(), QueryNames()
        earlier = iter(walked)
        for logged in (after(run, past) for run in runs):
            was = next(earlier, None)
            decision = was.decision if was else self._decide(_known_at(past, logged.started_at), logged, problems)
            run = run_in_effect(decision, logged)
            compare = partial(observer.take, run, decision.changes)
            observed = problems.guard(f"compare run {logged.key}", compare, tuple[Observed, ...]())
            past.append(run)
            names.add_all(logged.outcome.queries)
            yield was or _replayed(decision, run, logged, observed)
        return _upcoming(self._decide(list(past), None, problems), past, names)

    def _decide(self, known: Sequence[Run], logged: LoggedRun | None, problems: Problems) -> Decision:
        """For a run that is known to have come, or (None) for one that would come now."""
        key, try_number = (logged.key, logged.try_number) if logged else ("", 1)
        instance = logged.origin.instance if logged and logged.origin else ""

        def decided() -> Decision:
            reach = self._reach(known)
            return next_decision(
                known,
                facts_now(known, reach, problems, instance=instance),
                key=key,
                try_number=try_number,
                mode=self.mode,
                verdicts=[v for v in self.verdicts if logged is None or v.at <= logged.started_at],
                reach=reach,
                problems=problems,
                to_come=_context(known, logged, instance) if logged else None,
                objective=self.objective,
                instance=instance,
            )

        otherwise = Decision(self.mode, (), unsteered=Reason(ReasonCode.UNSTEERED, {"why": "no decision"}))
        return problems.guard(f"decide on run {key}" if key else "look ahead", decided, otherwise)

    def _reach(self, known: Sequence[Run]) -> Reach:
        latest = latest_outcome(known)
        return reach_of(major_minor(latest.spark_version if latest else ""), agent=self.agent, text=self.text)


def _context(known: Sequence[Run], logged: LoggedRun, instance: str) -> Context | None:
    outcome = logged.outcome
    # A driver's heap may be another than its conf says; it was the same before its run.
    heap = (
        {DRIVER_MEMORY.property: f"{outcome.cluster.driver_memory_bytes}b"}
        if outcome.cluster.driver_memory_bytes
        else {}
    )
    return context_of_next(known, outcome.spark_version, {**outcome.conf, **heap}, instance)


def _upcoming(decision: Decision, past: Iterable[Run], names: QueryNames) -> Upcoming:
    newest = latest_usable(list(past))
    if newest is None or newest.outcome is None:
        return Upcoming(decision, names=names)
    lack = lack_of(newest, decision)
    query_cores = held_cores(newest.outcome) * clock_share(newest.outcome.queries)
    return Upcoming(decision, lack.trials, lack.predicted, query_cores, names, lack.gain_if_unset)


def _known_at(past: Iterable[Run], moment: datetime) -> list[Run]:
    """Of runs that had not ended by then, only that they had begun."""
    return [run.begun if run.ended_at is not None and run.ended_at > moment else run for run in past]


def _replayed(decision: Decision, run: Run, logged: LoggedRun, observed: tuple[Observed, ...]) -> ReplayedRun:
    outcome = logged.outcome
    lack, seconds = lack_of(run, decision), seconds_by_query(run) if usable(run) else {}
    return ReplayedRun(
        key=run.key,
        cohort=run.cohort,
        log=logged.log,
        app_id=outcome.app_id,
        started_at=run.started_at,
        state=run.state,
        cluster=outcome.cluster,
        decision=decision,
        in_force=tuple(decided.id for decided in run.decision.in_force),
        lacked=lack.trials,
        predicted_seconds=lack.predicted,
        actual_seconds=sum(seconds.values()) if seconds else None,
        core_seconds=sum(query.executor_run_ms for query in outcome.queries) / 1e3,
        as_live=changes_digest(run.decision) == logged.changes if logged.changes else None,
        observed=observed,
        allocated_core_ms=outcome.allocated_core_ms,
        resources=outcome.resources,
        clock_share=clock_share(outcome.queries),
        held_cores=held_cores(outcome),
        gain_if_unset=lack.gain_if_unset,
    )
