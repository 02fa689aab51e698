"""The history store: what the tuner remembers from run to run.

The statements, and what rows are read as, are in the modules beside it, a thing a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, Select
from sqlalchemy.orm import Session

from tuner.garbage_collection import collection_paused
from tuner.history.begun_runs import begin_run, forget_run
from tuner.history.cohort_rows import CohortSummary, keep_stance, read_cohorts
from tuner.history.documents import Detail, details_document
from tuner.history.elsewhere import read_elsewhere
from tuner.history.engine import explained, reader, writer
from tuner.history.finished_runs import finish_run, keep_success
from tuner.history.forgotten_runs import forget_cohort, forget_runs, read_names
from tuner.history.import_rows import import_rows, read_imports, replace_imports
from tuner.history.instance_runs import InstanceRuns
from tuner.history.last_rounds import read_last_rounds
from tuner.history.last_word import LastWord, last_word, require_last_word
from tuner.history.look_ahead_rows import read_look_ahead, replace_look_ahead
from tuner.history.mode_rows import add_mode, modes_of, modes_within, read_modes
from tuner.history.objective_rows import add_objective, read_objectives
from tuner.history.old_runs import LooksAt, OldRuns, read_old_runs
from tuner.history.plan_rows import HeldPlans, held_plans, keys_with_plans, let_go, plans_let_go
from tuner.history.proof_rows import proof_rows, read_proofs, replace_proofs
from tuner.history.run_columns import (
    cohort_of,
    count_runs,
    key_before,
    keys_with,
    marks_of,
    runs_since,
    runs_since_measured,
    usual_ms,
    whole_runs,
)
from tuner.history.run_details import keep_details, read_details
from tuner.history.run_rows import (
    newest_runs,
    read_brief,
    read_decisions,
    read_failed_of_late,
    read_recent,
    read_runs,
    run_of,
    running_of,
    running_of_task,
    runs_of_task,
    succeeded_between,
)
from tuner.history.saving_rows import (
    keep_books,
    read_last_runs_with,
    read_never_booked,
    saved_by_change,
    saved_by_week,
    week_of,
)
from tuner.history.schema import migrate as migrate_schema
from tuner.history.schema import require_head
from tuner.history.shared_engines import shared_engines
from tuner.history.url import parse, shown, sqlite_file
from tuner.history.verdict_rows import add_verdicts, read_verdicts, verdicts_of, verdicts_within
from tuner.model.cohort_figures import CohortFigures
from tuner.model.cohort_stance import CohortStance
from tuner.model.decision import Decision, Mode
from tuner.model.imported_change import ImportedChange
from tuner.model.last_round import LastRound
from tuner.model.look_ahead import LookAhead
from tuner.model.objective import Objective
from tuner.model.proof import Proof
from tuner.model.run import Elsewhere, Origin, Outcome, Run, RunDetails, RunMark, RunState
from tuner.model.saved import SavedByChange, SavedInWeek
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict


class Store:
    """Runs and verdicts in one database; every method is one transaction that sees one moment of it, and raises StoreError when
    the database fails.

    Threads may share a store. Processes share the database: each opens a store of its own, after any fork.
    """

    def __init__(self, engine: Engine, give_back: Callable[[], None]) -> None:
        """For an engine whose schema is at head, given back once; `Store.open` makes sure of both."""
        self._engine = engine
        self._closing = ExitStack()
        self._closing.callback(give_back)
        self._reader = reader(engine)
        self._writer = writer(engine)

    @classmethod
    def open(cls, url: str, *, migrate: bool | None = None) -> Self:
        """The store at a URL. `migrate` brings its schema to head first: by default SQLite's only.

        StoreError when the URL is unusable, the database cannot be reached, or its schema is not at head.
        """
        engines = shared_engines()
        engine = engines.take(parse(url))
        wanted = engine.dialect.name == "sqlite" if migrate is None else migrate
        try:
            with explained(engine.url):
                (migrate_schema if wanted else require_head)(engine)
        except BaseException:
            engines.give_back(engine)
            raise
        return cls(engine, lambda: engines.give_back(engine))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def place(self) -> str:
        """Its URL for people: no password."""
        return shown(self._engine.url)

    @property
    def file(self) -> Path | None:
        """SQLite's file; None where it has none, or is another database."""
        return sqlite_file(self._engine.url)

    def close(self) -> None:
        """Closes the connections; may be called again."""
        self._closing.close()

    def begin(
        self,
        run: Run,
        may_commit: Callable[[], bool] = lambda: True,
        tags: Collection[str] | None = None,
        decided_with: Collection[str] | None = None,
    ) -> bool:
        """Stores a run that starts. Begun again while it runs, its new decision and log directory replace the old;
        begun again once it is finished, or under the key of another cohort's run, nothing changes: False. `tags` are those of
        its DAG (None: not known).

        `decided_with` are the keys of the runs that its decision looked at (None: whatever they are): TriedMeanwhileError,
        and nothing is stored, where another one of its cohort runs by now with a change in force that this one is to try, or
        is without one that this is to be without to compare (`Decision.left_out_for_long`).
        `may_commit` is asked once all is ready: False, and nothing is stored, where it says no. ValueError for a run that
        is not running.
        """
        if run.state is not RunState.RUNNING:
            raise ValueError(f"run {run.key} is {run.state}: only a running one can begin")
        with self._writing() as connection:
            return begin_run(connection, run, may_commit, tags, decided_with)

    def finish(
        self,
        key: str,
        state: RunState,
        ended_at: datetime,
        outcome: Outcome | None,
        *,
        seen: bool = False,
        goes_on: bool = False,
        tells_more: bool = False,
    ) -> bool:
        """Stores how a run ended, once: False, and nothing changes, when it has an outcome already.

        A run that ended without an outcome (a lost one) takes one later; one that was given up while its log had no end
        takes the whole one; one that succeeded by its log, the failure that its driver has `seen`, for a job may fail when its
        Spark has stopped, and one that failed by its log the success, for it may get over what failed in it; where its
        application `goes_on` in a log without an end, the whole one that took longer; a part of a log that `tells_more` than one
        before. ValueError for the state running; StoreError for a run that never began.
        """
        if state is RunState.RUNNING:
            raise ValueError(f"run {key} cannot finish as {state}")
        with self._writing() as connection:
            return finish_run(
                connection, key, state, ended_at, outcome, seen=seen, goes_on=goes_on, tells_more=tells_more
            )

    def keep_success(self, key: str, ended_at: datetime) -> bool:
        """Keep of a running run that its task saw it succeed: it stays running, with an end, until its log tells what it
        measured. False, and nothing changes, where it is not running."""
        with self._writing() as connection:
            return keep_success(connection, key, ended_at)

    def forget(self, key: str) -> None:
        """Takes out a run that began and was never submitted; one that has ended stays."""
        with self._writing() as connection:
            forget_run(connection, key)

    def runs(self, cohort: str, limit: int = 50, offset: int = 0, *, brief: bool = False) -> list[Run]:
        """The newest `limit` runs of a cohort, after `offset` still newer ones, oldest first.

        Brief ones are read much faster: their queries tell what times rest on, and no plan facts.
        """
        detail = Detail.TIMES if brief else Detail.FULL
        return self._read_runs(newest_runs(cohort, limit, offset), detail)[::-1]

    def usual_ms(self, cohort: str) -> float:
        """How long a cohort's runs take: the median of the newest five whose logs tell; 0 where none of its newest runs' does."""
        with self._reading() as session:
            return usual_ms(session, cohort)

    def recent(self, cohort: str, limit: int, in_full: int, instance: InstanceRuns | None = None) -> list[Run]:
        """As `runs`, for a decision: the newest `in_full` that succeeded are whole, of each query that comes back and that these
        lack the newest run (as many more at most), and the one of the others that read most; what else is older has what times
        rest on, and the newest of each with the same changes its blocks of joins, for the others tell no more of these. Of a
        decision for an `instance` of a mapped task the run that it rests on is whole, too, and older ones are those that share a
        query with it, of runs before the newest `limit` as well."""
        with self._reading_much() as session:
            return read_recent(session, cohort, limit, in_full, instance)

    def runs_since(self, cohort: str, dag_runs: int, most: int) -> int:
        """How many of a cohort's newest runs go back to the first of its latest `dag_runs` runs of a DAG, `most` at most; 0
        outside Airflow. A mapped task has many in each."""
        with self._reading() as session:
            return runs_since(session, cohort, dag_runs, most)

    def runs_since_measured(self, cohort: str, measured: int, most: int) -> int:
        """How many of a cohort's newest runs go back to the first of its latest `measured` that succeeded and were measured,
        `most` at most: after an outage these are long ago."""
        with self._reading() as session:
            return runs_since_measured(session, cohort, measured, most)

    def elsewhere(self, cohort: str, cohorts: int, runs: int) -> Elsewhere:
        """What the newest runs of other cohorts hold for this one: the latest decisions of up to so many of them, and the
        outcomes of up to so many of their runs, two of a cohort at most."""
        with self._reading_much() as session:
            return read_elsewhere(session, cohort, cohorts, runs)

    def prove(self, cohort: str, proofs: Iterable[Proof], known: Sequence[RunMark] = ()) -> None:
        """Stores what a cohort has shown, query by query, in place of what it had before. `known` are the marks of its newest
        runs, oldest first, from before it was looked at what they show: nothing changes where another one has ended since, for
        that one shows more."""
        rows = proof_rows(cohort, proofs)
        with self._writing() as connection:
            replace_proofs(connection, cohort, rows, known)

    def proofs(self, cohort: str, since: datetime, queries: int) -> list[Proof]:
        """What other cohorts have shown since then, of up to so many queries: those that gained most, that first."""
        with self._reading_much() as session:
            return read_proofs(session, cohort, since, queries)

    def keep_imports(
        self,
        imported: Collection[ImportedChange],
        verdicts: Iterable[Verdict] = (),
        mode: ModeChange | None = None,
        objective: ObjectiveChange | None = None,
        since: LastWord | None = None,
    ) -> None:
        """Stores changes that were imported, each in place of what its cohort imported of it before, and what is said of them and
        of their cohort: all or nothing. SpokenMeanwhileError as `set_mode`; they are of one cohort then."""
        rows, verdicts = import_rows(imported), tuple(verdicts)
        with self._writing() as connection:
            if since is not None:
                given: list[ImportedChange | Verdict | ModeChange | ObjectiveChange | None]
                given = [*imported, *verdicts, mode, objective]
                require_last_word(connection, next(one.cohort for one in given if one), since)
            replace_imports(connection, rows)
            add_verdicts(connection, verdicts)
            if mode is not None:
                add_mode(connection, mode)
            if objective is not None:
                add_objective(connection, objective)

    def imports(self, cohort: str) -> list[ImportedChange]:
        """The changes that a cohort imported, by their ids."""
        with self._reading() as session:
            return read_imports(session, cohort)

    def said_of(self, cohorts: Collection[str]) -> tuple[list[Verdict], dict[str, Mode | None]]:
        """What people said of the changes of some cohorts, oldest first, and the mode that each was given last."""
        with self._reading() as session:
            verdicts = read_verdicts(session, verdicts_within(cohorts))
            return verdicts, {change.cohort: change.mode for change in read_modes(session, modes_within(cohorts))}

    def brief_runs(self, cohort: str, limit: int, known: Mapping[str, Run]) -> list[Run]:
        """As `runs`, brief. Those of `known`, by key, that have their whole outcome change in nothing but their state: they are
        read again where that is another."""
        with self._reading_much() as session:
            return read_brief(session, cohort, limit, known)

    def marks(self, cohort: str, limit: int) -> list[RunMark]:
        """What tells the newest `limit` runs of a cohort from others, oldest first: those of `runs`, and of any that
        cannot be read."""
        with self._reading() as session:
            return marks_of(session, cohort, limit)

    def key_before(self, cohort: str, key: str) -> str | None:
        """The newest run before one of a cohort that succeeded and was measured: of a mapped task the same instance's, where
        there is one. None where none of its newest runs is."""
        with self._reading() as session:
            return key_before(session, cohort, key)

    def keep_look_ahead(self, cohort: str, look_ahead: LookAhead) -> None:
        """Stores what was decided for a cohort's next run, in place of what was before."""
        with self._writing() as connection:
            replace_look_ahead(connection, cohort, look_ahead)

    def look_ahead(self, cohort: str) -> LookAhead | None:
        """What was decided for a cohort's next run; None where nothing was, or it is not as it was written."""
        with self._reading() as session:
            return read_look_ahead(session, cohort)

    def count(self, cohort: str) -> int:
        """How many runs a cohort has."""
        with self._reading() as session:
            return count_runs(session, cohort)

    def cohort_of(self, key: str) -> str | None:
        """The cohort of a run; None where there is none."""
        with self._reading() as session:
            return cohort_of(session, key)

    def whole(self, cohort: str) -> dict[str, tuple[str, int]]:
        """The Spark applications of a cohort's runs whose whole logs are known, and how long they took, by the runs' keys."""
        with self._reading() as session:
            return whole_runs(session, cohort)

    def add_details(self, key: str, details: RunDetails) -> None:
        """Stores what a run has for people to look at. StoreError for a run that never began."""
        document = details_document(key, details)
        with self._writing() as connection:
            keep_details(connection, key, document)

    def details(self, key: str) -> RunDetails | None:
        """What the run with this key has for people to look at; None where it has nothing."""
        with self._reading() as session:
            return read_details(session, key)

    def keys_with_plans(self, cohort: str, before: datetime, newest: int) -> list[str]:
        """Keys of ended runs of a cohort that began before a time and hold plans, oldest first; none of its newest so many."""
        with self._reading() as session:
            return keys_with_plans(session, cohort, before, newest)

    def held_plans(self, keys: Collection[str]) -> HeldPlans:
        """What these runs hold of plans: their outcomes and details."""
        with self._reading() as session:
            return held_plans(session.connection(), keys)

    def let_go_of_plans(self, keys: Collection[str]) -> HeldPlans:
        """Takes that out of them, and returns how much it was. What times rest on stays, and is all that is read of them from
        then on."""
        with self._writing() as connection:
            return let_go(connection, keys)

    def plans_let_go(self, key: str) -> bool:
        """Whether a run was measured and holds no plans any more."""
        with self._reading() as session:
            return plans_let_go(session, key)

    def names(self) -> list[str]:
        """All cohorts that anything is known of, sorted: those, too, that have no run."""
        with self._reading() as session:
            return read_names(session)

    def old_runs(self, cohort: str, before: datetime, looks_at: LooksAt) -> OldRuns:
        """The runs of a cohort that began before a time, have ended and are looked at no more; of one that is retired, having
        neither run since then nor been spoken of, all."""
        with self._reading_much() as session:
            return read_old_runs(session, cohort, before, looks_at)

    def forget_runs(self, cohort: str, keys: Collection[str], before: datetime) -> int:
        """Takes out those of these runs of a cohort that began before a time and have ended, with all that is known of them, and
        returns how many these were. What savings come to by week stays."""
        with self._writing() as connection:
            return forget_runs(connection, cohort, keys, before)

    def forget_cohort(self, cohort: str, keys: Collection[str], before: datetime) -> int | None:
        """As `forget_runs`, of a cohort that is retired; with its last run goes all that is known of it, what people said, too.
        None, and nothing goes, where it has run or been spoken of after all."""
        with self._writing() as connection:
            return forget_cohort(connection, cohort, keys, before)

    def pending(self, cohort: str) -> list[Run]:
        """The runs of a cohort that are running, or were never harvested; oldest first."""
        return self._read_runs(running_of(cohort))

    def failed_of_late(self, cohort: str) -> list[Run]:
        """The runs of a cohort that were seen to fail and whose logs, or the ends of these, may still have been on their way when
        its newest run began: what comes after that one looks for them no more. Oldest first."""
        with self._reading() as session:
            return read_failed_of_late(session, cohort)

    def pending_of(self, origin: Origin) -> list[Run]:
        """The runs of a task instance, of all its tries and jobs, that are running, or were never harvested; oldest first."""
        return self._read_runs(running_of_task(origin))

    def runs_of(self, origin: Origin) -> list[Run]:
        """The runs of a task instance, of all its tries and jobs, oldest first; brief ones, as `runs` has them."""
        return self._read_runs(runs_of_task(origin), Detail.TIMES)

    def run(self, key: str) -> Run | None:
        """The run with this key, or None."""
        return next(iter(self._read_runs(run_of(key))), None)

    def keys_with(self, part: str, limit: int, cohort: str | None = None) -> list[str]:
        """The newest `limit` keys of runs that have this in them, newest first; of one cohort where it is given."""
        with self._reading() as session:
            return keys_with(session, part, limit, cohort)

    def cohorts(
        self,
        *,
        dag_id: str | None = None,
        task_id: str | None = None,
        run_id: str | None = None,
        cohort: str | None = None,
        rounds: bool = False,
    ) -> list[CohortSummary]:
        """Every cohort that has a run, by name; those that a DAG, a task or a DAG run took part in, where one is given.

        With `cohort` that one alone, if it has a run. `rounds`: with how the newest of each ended.
        """
        with self._reading() as session:
            found = read_cohorts(session, dag_id, task_id, run_id, cohort)
            is_some = any(given is not None for given in (dag_id, task_id, run_id, cohort))
            names = [one.cohort for one in found]
            ended = read_last_rounds(session, names if is_some else None) if rounds and found else {}
        return [replace(one, last_round=ended.get(one.cohort)) for one in found] if ended else found

    def last_round(self, cohort: str) -> LastRound | None:
        """How a cohort's newest round of runs ended; None where none has."""
        with self._reading() as session:
            return read_last_rounds(session, [cohort]).get(cohort)

    def decisions(self, keys: Collection[str]) -> dict[str, Decision]:
        """What was decided for these runs, by key; without those that cannot be read."""
        with self._reading() as session:
            return read_decisions(session, keys)

    def keep_stance(self, cohort: str, stance: CohortStance) -> None:
        """Stores where a cohort stands before its next run."""
        with self._writing() as connection:
            keep_stance(connection, cohort, stance)

    def keep_books(
        self,
        cohort: str,
        figures: CohortFigures | None,
        started: Mapping[str, datetime],
        savings: Collection[Saving],
        untold: Collection[tuple[str, str]] = (),
        told: Collection[str] = (),
    ) -> None:
        """Stores a cohort's figures (None: as they were), and what changes gained in its runs, of which `started` says when they
        began, in place of what was booked of the same runs; what was booked of `untold`, runs with a change each, stays. Of runs
        of the keys `told`, `savings` are all that there is, though it be nothing."""
        with self._writing() as connection:
            keep_books(connection, cohort, figures, started, savings, untold, told)

    def never_booked(self, cohort: str, before: datetime, limit: int) -> list[Run]:
        """Runs, in brief, that succeeded before a time and that no saving is booked of, oldest first: the newest `limit`, and as
        many of the oldest, as far as these are looked for."""
        with self._reading_much() as session:
            return read_never_booked(session, cohort, before, limit)

    def first_between(self, cohort: str, after: datetime, before: datetime, limit: int) -> list[Run]:
        """The first `limit` runs, in brief, that began between two times and succeeded, oldest first."""
        return self._read_runs(succeeded_between(cohort, after, before, limit), Detail.TIMES)

    def saved_by_week(self, cohorts: Collection[str] | None, since: datetime) -> list[SavedInWeek]:
        """What changes gained, by cohort and week, from the week of `since` on; of all cohorts where None are given."""
        with self._reading() as session:
            return saved_by_week(session, cohorts, week_of(since))

    def saved_by_change(self, cohorts: Collection[str] | None, since: datetime, most: int) -> list[SavedByChange]:
        """As `saved_by_week`, by change: so many, those that gained or lost most."""
        with self._reading() as session:
            return saved_by_change(session, cohorts, week_of(since), most)

    def last_runs_with(self, changes: Collection[tuple[str, str]]) -> dict[tuple[str, str], Run]:
        """By cohort and change, the newest run, in brief, that a saving is booked of; without those that cannot be read."""
        with self._reading_much() as session:
            return read_last_runs_with(session, changes)

    def last_word(self, cohort: str) -> LastWord:
        """What was last said of a cohort, for `record`, `set_mode` and `keep_imports` to tell whether anything was said since."""
        with self._reading() as session:
            return last_word(session.connection(), cohort)

    def set_mode(self, change: ModeChange, since: LastWord | None = None) -> None:
        """Adds the mode that a person gave a cohort. SpokenMeanwhileError, and nothing is added, where something was said of it
        `since`."""
        with self._writing() as connection:
            if since is not None:
                require_last_word(connection, change.cohort, since)
            add_mode(connection, change)

    def mode_changes(self, cohort: str) -> list[ModeChange]:
        """The modes that people gave a cohort, oldest first."""
        with self._reading() as session:
            return read_modes(session, modes_of(cohort))

    def mode(self, cohort: str) -> Mode | None:
        """The mode that a person gave a cohort last; None where none holds."""
        changes = self.mode_changes(cohort)
        return changes[-1].mode if changes else None

    def set_objective(self, change: ObjectiveChange) -> None:
        """Adds what a person wants a cohort's changes judged by."""
        with self._writing() as connection:
            add_objective(connection, change)

    def objective_changes(self, cohort: str) -> list[ObjectiveChange]:
        """What people wanted a cohort's changes judged by, oldest first."""
        with self._reading() as session:
            return read_objectives(session, cohort)

    def objective(self, cohort: str) -> Objective | None:
        """What a person wants a cohort's changes judged by; None where nobody said."""
        changes = self.objective_changes(cohort)
        return changes[-1].objective if changes else None

    def record(self, *verdicts: Verdict, since: LastWord | None = None) -> None:
        """Adds what a person said of changes: all or nothing. SpokenMeanwhileError as `set_mode`; they are of one cohort then."""
        with self._writing() as connection:
            if since is not None:
                require_last_word(connection, verdicts[0].cohort, since)
            add_verdicts(connection, verdicts)

    def verdicts(self, cohort: str) -> list[Verdict]:
        """What people said of a cohort's changes, oldest first."""
        with self._reading() as session:
            return read_verdicts(session, verdicts_of(cohort))

    def _read_runs(self, query: Select[Any], detail: Detail = Detail.FULL) -> list[Run]:
        with self._reading_much() as session:
            return read_runs(session, query, detail)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with explained(self._engine.url), Session(self._reader) as session:
            yield session

    @contextmanager
    def _reading_much(self) -> Iterator[Session]:
        with collection_paused(), self._reading() as session:
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with explained(self._engine.url), self._writer.begin() as connection:
            yield connection
