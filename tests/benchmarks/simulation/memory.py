"""Where a simulated cohort's runs are kept, and decided on: in a list, or by the product's own store and path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Protocol

from tuner.advice.steering_reach import Reach
from tuner.history.store import Store
from tuner.loop.next_decision import BY_AGENT, facts_of, next_decision
from tuner.model.change import Change
from tuner.model.decision import Decision, Mode
from tuner.model.run import Run
from tuner.policy.decide import decide, failed_with_changes
from tuner.policy.history_runs import HISTORY_RUNS
from tuner.policy.situation import Situation
from tuner.policy.usable import usable
from tuner.problems import Problems

Advise = Callable[[Sequence[Run]], tuple[Change, ...]]


class Memory(Protocol):
    """What is known of one cohort."""

    def decide(self, key: str, try_number: int, advise: Advise) -> Decision:
        """The decision for run `key`, by the runs kept so far."""

    def keep(self, run: Run) -> None:
        """A run that has ended."""


class InMemory:
    """Runs in a list, and the policy alone."""

    def __init__(self) -> None:
        self._runs: list[Run] = []

    def decide(self, key: str, try_number: int, advise: Advise) -> Decision:
        runs = self._runs[-HISTORY_RUNS:]
        situation = Situation(
            Mode.AUTO,
            try_number,
            runs,
            advise(runs),
            earlier_try_failed=failed_with_changes(runs, key),
            drivable=BY_AGENT,
        )
        return decide(situation)

    def keep(self, run: Run) -> None:
        self._runs.append(run)


class InStore:
    """Runs in a history store, decided on as live runs are."""

    def __init__(self, store: Store, cohort: str) -> None:
        self._store, self._cohort = store, cohort

    def decide(self, key: str, try_number: int, advise: Advise) -> Decision:
        runs = self._store.runs(self._cohort, HISTORY_RUNS)
        measured = [run.outcome for run in runs if usable(run) and run.outcome]
        problems = Problems()
        decision = next_decision(
            runs,
            facts_of(measured[-1], measured[:-1], None, Reach.AGENT) if measured else None,
            key=key,
            try_number=try_number,
            mode=Mode.AUTO,
            verdicts=self._store.verdicts(self._cohort),
            reach=Reach.AGENT,
            problems=problems,
            advise=lambda _: advise(runs),
        )
        if problems.found:
            raise AssertionError(f"{key}: {problems.found}")
        return decision

    def keep(self, run: Run) -> None:
        self._store.begin(run.begun)
        self._store.finish(run.key, run.state, run.ended_at or run.started_at + timedelta(hours=1), run.outcome)
