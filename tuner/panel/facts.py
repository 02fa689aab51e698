"""What the store knows of one cohort, read once for one answer and only as far as it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from tuner.history.cohort_rows import CohortSummary
from tuner.history.store import Store
from tuner.loop.decision_since import decision_since
from tuner.loop.mode_is_known import mode_is_known
from tuner.loop.next_mode import next_mode
from tuner.loop.outlook import OUTLOOK_AMONG, decided_last, may_change, outlook_of
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.imported_change import ImportedChange
from tuner.model.objective import Objective
from tuner.model.run import Run, RunDetails, RunState
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict
from tuner.panel.recent_runs import PANEL_RUNS, RecentRuns, RunsInView
from tuner.words.actions import action_words
from tuner.words.changes import change_words
from tuner.words.decisions import STEERING_OFF, SWITCHED_OFF
from tuner.words.query_names import QueryNames, names_in


class CohortFacts:
    """Facts about a cohort that has at least one run. `may_read_code` tells whether its viewer may read what the job calls
    its queries. The tuner `is_on`, as far as the configuration of who asks tells.
    """

    def __init__(
        self,
        store: Store,
        recent: RecentRuns,
        summary: CohortSummary,
        may_read_code: Callable[[], bool] = lambda: True,
        *,
        is_on: bool = True,
    ) -> None:
        self._ask_for_code = may_read_code
        self._store = store
        self._recent = recent
        self._details: dict[str, RunDetails | None] = {}
        self._whole: dict[str, Run | None] = {}
        self.summary = summary
        self.is_on = is_on

    @property
    def cohort(self) -> str:
        return self.summary.cohort

    @cached_property
    def may_read_code(self) -> bool:
        """Whether its viewer may read what is named by the job's own words."""
        return self._ask_for_code()

    @cached_property
    def view(self) -> RunsInView:
        return self._recent.of(self.cohort, self._store)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The newest runs, brief and oldest first."""
        return self.view.runs

    @property
    def all_in_view(self) -> bool:
        """Whether there are no runs older than these."""
        return self.summary.runs <= PANEL_RUNS

    def page_of_runs(self, limit: int, offset: int, before: int) -> tuple[list[Run], RunsInView]:
        """`limit` runs after `offset` newer ones, newest first, and the view that they are in with at least `before`
        older ones, as far as there are."""
        if offset + limit <= len(self.runs) or self.all_in_view:
            newest_first = self.runs[::-1]
            return list(newest_first[offset : offset + limit]), self.view
        runs = self._store.runs(self.cohort, limit + before, offset, brief=True)
        return runs[: -limit - 1 : -1], RunsInView(runs)

    @property
    def listed(self) -> CohortSummary:
        """It as lists show it: with how its newest round of runs ended."""
        return replace(self.summary, last_round=self._store.last_round(self.cohort))

    @cached_property
    def last_decision(self) -> Decision | None:
        """The newest run's; None where it cannot be read."""
        key = self.summary.last_key
        return self._store.decisions([key]).get(key)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        return self._store.verdicts(self.cohort)

    @cached_property
    def mode_changes(self) -> list[ModeChange]:
        return self._store.mode_changes(self.cohort)

    @property
    def mode(self) -> Mode:
        """The mode of the next run, as far as the store knows."""
        return next_mode(self.mode_changes, self.last_decision)

    @property
    def steering_off(self) -> bool:
        """Whether the newest run's job has steering switched off."""
        return self.last_decision is not None and self.last_decision.steering_off

    @property
    def off(self) -> str:
        """Why no mode changes anything; "" where modes do."""
        if not self.is_on:
            return SWITCHED_OFF
        return STEERING_OFF if self.steering_off else ""

    @property
    def mode_is_known(self) -> bool:
        """Whether it is sure to be that."""
        return mode_is_known(self.mode_changes, self.summary.last_started_at)

    @cached_property
    def objective_changes(self) -> list[ObjectiveChange]:
        return self._store.objective_changes(self.cohort)

    @cached_property
    def imports(self) -> list[ImportedChange]:
        return self._store.imports(self.cohort)

    @property
    def objective(self) -> Objective:
        """What the next run's changes are judged by, as far as the store knows: a person's word, else as the newest run's."""
        given = self.objective_changes[-1].objective if self.objective_changes else None
        newest = self.last_decision
        return given or (newest.objective if newest else Objective.TIME)

    def details(self, run: Run) -> RunDetails | None:
        if run.key not in self._details:
            self._details[run.key] = self._store.details(run.key)
        return self._details[run.key]

    def whole(self, run: Run) -> Run | None:
        """A run with all facts of its plans; None where the store no longer has it."""
        if run.key not in self._whole:
            # One at a time: they are large.
            self._whole = {run.key: self._store.run(run.key)}
        return self._whole[run.key]

    def measured(self, key: str) -> Run | None:
        """A run of this cohort with all facts of its plans, but for those that were let go; None where there is none, or it was
        not measured."""
        run = self._store.run(key)
        return run if run is not None and run.cohort == self.cohort and run.outcome is not None else None

    def key_before(self, key: str) -> str | None:
        """Of the run that one is to be compared with."""
        return self._store.key_before(self.cohort, key)

    def plans_let_go(self, key: str) -> bool:
        """Whether of a measured run no facts of its plans are left."""
        return self._store.plans_let_go(key)

    def names_of(self, runs: Sequence[Run]) -> QueryNames:
        """What the queries of these runs, oldest first, are called: as on the rest of the page where the runs are in view."""
        in_view = {run.key for run in self.runs}
        return self.names if all(run.key in in_view for run in runs) else names_in(runs, described=self.may_read_code)

    @cached_property
    def newest_details(self) -> tuple[Run, RunDetails] | None:
        """Of the newest run that has details."""
        finished = [run for run in reversed(self.runs) if run.state is not RunState.RUNNING]
        for run in finished[:OUTLOOK_AMONG]:
            if (details := self.details(run)) is not None:
                return run, details
        return None

    @cached_property
    def outlook_as_made(self) -> tuple[Decision, datetime] | None:
        """What was decided last, and when."""
        if not self.runs:
            return None
        return decided_last(self.runs, outlook_of(self.runs, self.details))

    @cached_property
    def outlook(self) -> Decision | None:
        """The decision that a run would start with now: as it was made, and what people said and imported since."""
        return self.outlook_in(self.mode)

    def outlook_in(self, mode: Mode) -> Decision | None:
        """As `outlook`, if a person gave the cohort that mode now."""
        if self.outlook_as_made is None:
            return None
        return decision_since(self._store, self.cohort, *self.outlook_as_made, self.runs, self.verdicts, mode)

    @property
    def outlook_may_change(self) -> bool:
        """Whether runs have ended since that was decided."""
        return self.outlook_as_made is not None and may_change(self.runs, self.outlook_as_made[1])

    @property
    def standings(self) -> dict[str, Standing]:
        """Where each change stands now, by its id."""
        return {decided.id: decided.standing for decided in self.outlook.changes} if self.outlook else {}

    def words_of_changes(self) -> dict[str, str]:
        """What each change that was ever decided on does, by its id and by those of its actions: older rulings have these."""
        decisions = [run.decision for run in self.runs]
        if self.outlook is not None:
            decisions.append(self.outlook)
        changes = [one.change for one in self.imports]
        changes += [decided.change for decision in decisions for decided in decision.changes]
        actions = {action.id: action_words(action, self.names) for change in changes for action in change.actions}
        return actions | {change.id: change_words(change, self.names) for change in changes}

    @cached_property
    def names(self) -> QueryNames:
        """What queries are called; without the job's descriptions for users who may not read its code."""
        return self.view.names if self.may_read_code else self.view.names_without_descriptions
