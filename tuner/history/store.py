"""The history store: what the tuner remembers from run to run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime
from hashlib import sha256
from itertools import zip_longest
from statistics import median
from types import TracebackType
from typing import Any, Self

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Insert,
    Select,
    Update,
    and_,
    delete,
    false,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import Session, undefer

from tuner.errors import StoreError, TriedMeanwhileError
from tuner.garbage_collection import collection_paused
from tuner.history.cohort_rows import (
    CohortSummary,
    count_anew,
    count_in,
    keep_figures,
    keep_stance,
    lock,
    rows_of,
    summaries,
)
from tuner.history.documents import (
    Detail,
    decision_document,
    details_document,
    import_document,
    look_ahead_document,
    of_kind,
    outcome_document,
    proof_document,
    readable_decision,
    readable_details,
    readable_import,
    readable_look_ahead,
    readable_outcome,
    readable_proof,
    readable_run,
    skipped,
)
from tuner.history.engine import explained, open_engine, writer
from tuner.history.plan_rows import HeldPlans, held_plans, let_go, plans_let_go, replace_times, with_plans
from tuner.history.saving_rows import (
    booked_before,
    last_runs_with,
    never_booked,
    replace_savings,
    saved_by_change,
    saved_by_week,
    week_of,
)
from tuner.history.schema import migrate as migrate_schema
from tuner.history.schema import require_head
from tuner.history.tables import (
    CohortRow,
    ImportRow,
    LookAheadRow,
    ModeRow,
    ObjectiveRow,
    ProofRow,
    RunRow,
    TimesRow,
    VerdictRow,
)
from tuner.history.upsert import insert_into
from tuner.history.url import parse
from tuner.model.cohort_figures import CohortFigures
from tuner.model.cohort_stance import CohortStance
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.imported_change import ImportedChange
from tuner.model.look_ahead import LookAhead
from tuner.model.objective import Objective
from tuner.model.proof import Proof
from tuner.model.run import Elsewhere, Origin, Outcome, Run, RunDetails, RunMark, RunState
from tuner.model.saved import SavedByChange, SavedInWeek
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling, Verdict

# Of the newest runs of all others so many are looked at for what another cohort can learn from.
_LOOKED_AT_ELSEWHERE = 200
# Of a query so many cohorts' proofs are read, for each that is looked at.
_PROOFS_OF_A_QUERY = 10


class Store:
    """Runs and verdicts in one database; every method is one transaction, and raises StoreError when the database fails.

    Threads may share a store. Processes share the database: each opens a store of its own, after any fork.
    """

    def __init__(self, engine: Engine) -> None:
        """For an engine whose schema is at head; `Store.open` makes sure of it."""
        self._engine = engine
        self._writer = writer(engine)

    @classmethod
    def open(cls, url: str, *, migrate: bool | None = None) -> Self:
        """The store at a URL. `migrate` brings its schema to head first: by default SQLite's only.

        StoreError when the URL is unusable, the database cannot be reached, or its schema is not at head.
        """
        engine = open_engine(parse(url))
        wanted = engine.dialect.name == "sqlite" if migrate is None else migrate
        try:
            with explained(engine.url):
                (migrate_schema if wanted else require_head)(engine)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections; may be called again."""
        self._engine.dispose()

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
        and nothing is stored, where another one of its cohort runs by now with a change in force that this one is to try.
        `may_commit` is asked once all is ready: False, and nothing is stored, where it says no. ValueError for a run that
        is not running.
        """
        if run.state is not RunState.RUNNING:
            raise ValueError(f"run {run.key} is {run.state}: only a running one can begin")
        with self._writing() as connection:
            # No rowcount: of an INSERT not every driver tells it.
            begun = _insert_or_replace_decision(run, connection.dialect.name).returning(RunRow.key)
            if connection.scalar(begun) is None:
                return False
            # From here on no other run of the cohort begins until this one has, or has not.
            count_in(connection, run, tags)
            if decided_with is not None:
                _require_untried(connection, run, decided_with)
            if not may_commit():
                connection.rollback()
                return False
        return True

    def finish(
        self,
        key: str,
        state: RunState,
        ended_at: datetime,
        outcome: Outcome | None,
        *,
        seen: bool = False,
        goes_on: bool = False,
    ) -> bool:
        """Stores how a run ended, once: False, and nothing changes, when it has an outcome already.

        A run that ended without an outcome (a lost one) takes one later; one that was given up while its log had no end
        takes the whole one; one that succeeded by its log, the failure that its driver has `seen`: a job may fail when its
        Spark has stopped; where its application `goes_on` in a log without an end, the whole one that took longer. ValueError for
        the state running; StoreError for a run that never began.
        """
        if state is RunState.RUNNING:
            raise ValueError(f"run {key} cannot finish as {state}")
        with self._writing() as connection:
            if connection.execute(_update_unfinished(key, state, ended_at, outcome, seen, goes_on)).rowcount == 1:
                if outcome is not None:
                    connection.execute(replace_times(key, outcome, connection.dialect.name))
                connection.execute(update(CohortRow).where(CohortRow.last_key == key).values(last_state=state.value))
                return True
            if connection.scalar(select(RunRow.key).where(RunRow.key == key)) is None:
                raise StoreError(f"run {key} is not in the history store: it never began, so it cannot finish")
        return False

    def forget(self, key: str) -> None:
        """Takes out a run that began and was never submitted; one that has ended stays."""
        with self._writing() as connection:
            cohort = connection.scalar(select(RunRow.cohort).where(RunRow.key == key))
            if cohort is not None:
                lock(connection, cohort)
            connection.execute(delete(RunRow).where(RunRow.key == key, RunRow.state == RunState.RUNNING.value))
            if cohort is not None:
                count_anew(connection, cohort)

    def runs(self, cohort: str, limit: int = 50, offset: int = 0, *, brief: bool = False) -> list[Run]:
        """The newest `limit` runs of a cohort, after `offset` still newer ones, oldest first.

        Brief ones are read much faster: their queries tell what times rest on, and no plan facts.
        """
        detail = Detail.TIMES if brief else Detail.FULL
        return self._read_runs(_newest(_rows(), cohort, limit, offset), detail)[::-1]

    def usual_ms(self, cohort: str) -> float:
        """How long a cohort's runs take: the median of the newest five whose logs tell; 0 where none does."""
        told = select(RunRow.duration_ms).where(RunRow.cohort == cohort, RunRow.duration_ms.is_not(None))
        with self._reading() as session:
            found = session.scalars(told.order_by(RunRow.started_at.desc()).limit(5)).all()
        return median(ms for ms in found if ms is not None) if found else 0.0

    def recent(self, cohort: str, limit: int, in_full: int) -> list[Run]:
        """As `runs`, for a decision: the newest `in_full` that succeeded are whole; what is older has what times rest on, and
        the newest of each with the same changes its blocks of joins, for the others tell no more of these."""
        with collection_paused(), self._reading() as session:
            runs = _read(session, _newest(_rows(), cohort, limit, 0), Detail.TIMES)
            measured = [run for run in runs if run.outcome is not None and run.state is RunState.SUCCEEDED]
            by_changes = {frozenset(d.id for d in run.decision.in_force): run for run in reversed(measured[in_full:])}
            wanted = {run.key: Detail.PAST for run in by_changes.values()}
            wanted |= {run.key: Detail.FULL for run in measured[:in_full]}
            documents = session.execute(select(RunRow.key, RunRow.outcome).where(RunRow.key.in_(wanted)))
            outcomes = {key: readable_outcome(key, document, wanted[key]) for key, document in documents if document}
        known = (replace(run, outcome=outcomes[run.key]) if run.key in outcomes else run for run in runs)
        return [run for run in known if run.outcome is not None or run.key not in outcomes][::-1]

    def runs_since(self, cohort: str, dag_runs: int, most: int) -> int:
        """How many of a cohort's newest runs go back to the first of its latest `dag_runs` runs of a DAG, `most` at most; 0
        outside Airflow. A mapped task has many in each."""
        of_dags = select(RunRow.run_id).where(RunRow.run_id.is_not(None))
        with self._reading() as session:
            run_ids = list(session.scalars(_newest(of_dags, cohort, most, 0)))
        latest = set(list(dict.fromkeys(run_ids))[:dag_runs])
        return max((place for place, run_id in enumerate(run_ids, 1) if run_id in latest), default=0)

    def elsewhere(self, cohort: str, cohorts: int, runs: int) -> Elsewhere:
        """What the newest runs of other cohorts hold for this one: the latest decisions of up to so many of them, and the
        outcomes of up to so many of their runs, two of a cohort at most."""
        others = (RunRow.cohort != cohort, RunRow.state == RunState.SUCCEEDED.value, RunRow.outcome.is_not(None))
        newest_first = (RunRow.started_at.desc(), RunRow.key.desc())
        newest = select(RunRow.key, RunRow.cohort).where(*others).order_by(*newest_first).limit(_LOOKED_AT_ELSEWHERE)
        with collection_paused(), self._reading() as session:
            by_cohort: dict[str, list[str]] = {}
            for key, name in session.execute(newest):
                by_cohort.setdefault(name, []).append(key)
            latest = [keys[0] for keys in by_cohort.values()][:cohorts]
            told = session.execute(select(RunRow.key, RunRow.decision).where(RunRow.key.in_(latest)))
            decisions = [d for key, document in told if (d := readable_decision(key, document)) is not None]
            # The latest of each before the second latest of any.
            chosen = [key for turn in zip_longest(*(keys[:2] for keys in by_cohort.values())) for key in turn if key]
            measured = _read(session, _rows().where(RunRow.key.in_(chosen[:runs])), Detail.FULL)
        outcomes = tuple(run.outcome for run in measured if run.outcome is not None)
        return Elsewhere(tuple(decisions), outcomes, len({run.cohort for run in measured}))

    def prove(self, cohort: str, proofs: Iterable[Proof]) -> None:
        """Stores what a cohort has shown, query by query, in place of what it had before."""
        rows = [
            {
                "cohort": cohort,
                "query": proof.query,
                "told_at": proof.told_at,
                "gained_seconds": proof.gained_seconds,
                "proof": proof_document(proof),
            }
            for proof in proofs
        ]
        with self._writing() as connection:
            lock(connection, cohort)  # Mapped instances end together.
            connection.execute(delete(ProofRow).where(ProofRow.cohort == cohort))
            if rows:
                connection.execute(insert(ProofRow), rows)

    def proofs(self, cohort: str, since: datetime, queries: int) -> list[Proof]:
        """What other cohorts have shown since then, of up to so many queries: those that gained most, that first."""
        others = (ProofRow.cohort != cohort, ProofRow.told_at >= since)
        gained = func.max(ProofRow.gained_seconds)
        best = select(ProofRow.query).where(*others, ProofRow.gained_seconds > 0).group_by(ProofRow.query)
        best = best.order_by(gained.desc(), ProofRow.query).limit(queries)
        with collection_paused(), self._reading() as session:
            names = list(session.scalars(best))
            told = select(ProofRow.cohort, ProofRow.proof).where(*others, ProofRow.query.in_(names))
            told = told.order_by(ProofRow.gained_seconds.desc(), ProofRow.cohort, ProofRow.query)
            told = told.limit(_PROOFS_OF_A_QUERY * queries)
            read = [readable_proof(name, document) for name, document in session.execute(told)]
        return [proof for proof in read if proof is not None]

    def keep_imports(self, imported: Collection[ImportedChange], verdicts: Iterable[Verdict] = ()) -> None:
        """Stores changes that were imported, each in place of what its cohort imported of it before, and what is said of them:
        all or nothing."""
        rows = [
            {"cohort": one.cohort, "change_id": one.change.id, "document": import_document(one)} for one in imported
        ]
        with self._writing() as connection:
            for row in rows:
                before = (ImportRow.cohort == row["cohort"], ImportRow.change_id == row["change_id"])
                connection.execute(delete(ImportRow).where(*before))
            if rows:
                connection.execute(insert(ImportRow), rows)
            for verdict in verdicts:
                connection.execute(_add_verdict(verdict))

    def imports(self, cohort: str) -> list[ImportedChange]:
        """The changes that a cohort imported, by their ids."""
        told = select(ImportRow.document).where(ImportRow.cohort == cohort).order_by(ImportRow.id)
        with self._reading() as session:
            read = [readable_import(cohort, document) for document in session.scalars(told)]
        newest = {one.change.id: one for one in read if one is not None}
        return [newest[id_] for id_ in sorted(newest)]

    def said_of(self, cohorts: Collection[str]) -> tuple[list[Verdict], dict[str, Mode | None]]:
        """What people said of the changes of some cohorts, oldest first, and the mode that each was given last."""
        verdicts = select(VerdictRow).where(VerdictRow.cohort.in_(cohorts)).order_by(VerdictRow.id)
        modes = select(ModeRow).where(ModeRow.cohort.in_(cohorts)).order_by(ModeRow.id)
        with self._reading() as session:
            found = list(_readable_verdicts(session.scalars(verdicts)))
            changes = _readable_modes(session.scalars(modes))
            return found, {change.cohort: change.mode for change in changes}

    def brief_runs(self, cohort: str, limit: int, known: Mapping[str, Run]) -> list[Run]:
        """As `runs`, brief. Those of `known`, by key, that have their whole outcome change in nothing but their state: they are
        read again where that is another."""
        with self._reading() as session:
            columns: tuple[Any, ...] = (RunRow.key, RunRow.state)
            newest = _newest(select(*columns), cohort, limit, 0)
            states = {row.key: row.state for row in session.execute(newest)}
        found = {key: run for key, state in states.items() if (run := known.get(key)) and _is_whole(run, state)}
        unknown = _rows().where(RunRow.key.in_([key for key in states if key not in found]))
        found |= {run.key: run for run in self._read_runs(unknown, Detail.TIMES)}
        return [found[key] for key in reversed(states) if key in found]

    def marks(self, cohort: str, limit: int) -> list[RunMark]:
        """What tells the newest `limit` runs of a cohort from others, oldest first: those of `runs`, and of any that
        cannot be read."""
        columns: tuple[Any, ...] = tuple(getattr(RunRow, field.name) for field in fields(RunMark))
        with self._reading() as session:
            return [RunMark(*row) for row in session.execute(_newest(select(*columns), cohort, limit, 0))][::-1]

    def keep_look_ahead(self, cohort: str, look_ahead: LookAhead) -> None:
        """Stores what was decided for a cohort's next run, in place of what was before."""
        with self._writing() as connection:
            connection.execute(_replace_look_ahead(cohort, look_ahead, connection.dialect.name))

    def look_ahead(self, cohort: str) -> LookAhead | None:
        """What was decided for a cohort's next run; None where nothing was, or it is not as it was written."""
        with self._reading() as session:
            row = session.execute(
                select(LookAheadRow.digest, LookAheadRow.document).where(LookAheadRow.cohort == cohort)
            ).first()
        is_whole = row is not None and isinstance(row.document, str) and _digest(row.document) == row.digest
        return readable_look_ahead(row.document) if row is not None and is_whole else None

    def count(self, cohort: str) -> int:
        """How many runs a cohort has."""
        with self._reading() as session:
            return session.scalar(select(func.count()).where(RunRow.cohort == cohort)) or 0

    def cohort_of(self, key: str) -> str | None:
        """The cohort of a run; None where there is none."""
        with self._reading() as session:
            return session.scalar(select(RunRow.cohort).where(RunRow.key == key))

    def whole(self, cohort: str) -> dict[str, tuple[str, int]]:
        """The Spark applications of a cohort's runs whose whole logs are known, and how long they took, by the runs' keys."""
        columns = (RunRow.key, RunRow.app_id, RunRow.duration_ms)
        finished = select(*columns).where(RunRow.cohort == cohort, RunRow.duration_ms.is_not(None))
        with self._reading() as session:
            found = session.execute(finished).all()
        return {key: (app_id, ms) for key, app_id, ms in found if app_id is not None and ms is not None}

    def add_details(self, key: str, details: RunDetails) -> None:
        """Stores what a run has for people to look at. StoreError for a run that never began."""
        stored = update(RunRow).where(RunRow.key == key).values(details=details_document(key, details))
        with self._writing() as connection:
            if connection.execute(stored).rowcount != 1:
                raise StoreError(f"run {key} is not in the history store: it never began, so it has no details")

    def details(self, key: str) -> RunDetails | None:
        """What the run with this key has for people to look at; None where it has nothing."""
        with self._reading() as session:
            document = session.scalar(select(RunRow.details).where(RunRow.key == key))
        return readable_details(key, document) if document else None

    def keys_with_plans(self, cohort: str, before: datetime, newest: int) -> list[str]:
        """Keys of ended runs of a cohort that began before a time and hold plans, oldest first; none of its newest so many."""
        with self._reading() as session:
            kept_since = session.scalar(_newest(select(RunRow.started_at), cohort, 1, newest - 1))
            if kept_since is None:
                return []
            return list(session.scalars(with_plans(cohort).where(RunRow.started_at < min(before, kept_since))))

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
            return session.scalar(select(RunRow.key).where(RunRow.key == key, plans_let_go())) is not None

    def pending(self, cohort: str) -> list[Run]:
        """The runs of a cohort that are running, or were never harvested; oldest first."""
        running = _rows().where(RunRow.cohort == cohort, RunRow.state == RunState.RUNNING.value)
        return self._read_runs(running.order_by(RunRow.started_at, RunRow.key))

    def pending_of(self, origin: Origin) -> list[Run]:
        """The runs of a task instance, of all its tries and jobs, that are running, or were never harvested; oldest first."""
        of_it = {
            RunRow.dag_id: origin.dag_id,
            RunRow.run_id: origin.run_id,
            RunRow.task_id: origin.task_id,
            RunRow.map_index: origin.map_index,
        }
        running = _rows().where(RunRow.state == RunState.RUNNING.value, *(c == value for c, value in of_it.items()))
        return self._read_runs(running.order_by(RunRow.started_at, RunRow.key))

    def run(self, key: str) -> Run | None:
        """The run with this key, or None."""
        return next(iter(self._read_runs(_rows().where(RunRow.key == key))), None)

    def keys_with(self, part: str, limit: int, cohort: str | None = None) -> list[str]:
        """The newest `limit` keys of runs that have this in them, newest first; of one cohort where it is given."""
        found = select(RunRow.key).where(RunRow.key.contains(part, autoescape=True))
        found = found if cohort is None else found.where(RunRow.cohort == cohort)
        with self._reading() as session:
            return list(session.scalars(found.order_by(RunRow.started_at.desc(), RunRow.key.desc()).limit(limit)))

    def cohorts(
        self,
        *,
        dag_id: str | None = None,
        task_id: str | None = None,
        run_id: str | None = None,
        cohort: str | None = None,
    ) -> list[CohortSummary]:
        """Every cohort that has a run, by name; those that a DAG, a task or a DAG run took part in, where one is given.

        With `cohort` that one alone, if it has a run.
        """
        given = {RunRow.dag_id: dag_id, RunRow.task_id: task_id, RunRow.run_id: run_id}
        wanted = [column == value for column, value in given.items() if value is not None]
        within = None
        with self._reading() as session:
            if run_id is not None:
                within = set(session.scalars(select(RunRow.cohort).where(*wanted).distinct()))
            found = summaries(session.execute(rows_of(cohort)))
        of_it = (summary for summary in found if within is None or summary.cohort in within)
        return [summary for summary in of_it if summary.is_of(dag_id, task_id)]

    def decisions(self, keys: Collection[str]) -> dict[str, Decision]:
        """What was decided for these runs, by key; without those that cannot be read."""
        told = select(RunRow.key, RunRow.decision).where(RunRow.key.in_(list(keys)))
        with self._reading() as session:
            read = ((key, readable_decision(key, document)) for key, document in session.execute(told))
            return {key: decision for key, decision in read if decision is not None}

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
            lock(connection, cohort)
            if figures is not None:
                keep_figures(connection, cohort, figures)
            kept = booked_before(connection, cohort, untold)
            replace_savings(connection, cohort, started, [*savings, *kept], told)

    def never_booked(self, cohort: str, before: datetime, limit: int) -> list[Run]:
        """Runs, in brief, that succeeded before a time and that no saving is booked of, oldest first: the newest `limit`, and as
        many of the oldest."""
        wanted = never_booked(cohort).where(RunRow.started_at < before, RunRow.state == RunState.SUCCEEDED.value)
        newest = wanted.order_by(RunRow.started_at.desc(), RunRow.key.desc()).limit(limit)
        oldest = wanted.order_by(RunRow.started_at, RunRow.key).limit(limit)
        with self._reading() as session:
            keys = {*session.scalars(newest), *session.scalars(oldest)}
        runs = self._read_runs(_rows().where(RunRow.key.in_(keys)), Detail.TIMES)
        return sorted(runs, key=lambda run: (run.started_at, run.key))

    def first_between(self, cohort: str, after: datetime, before: datetime, limit: int) -> list[Run]:
        """The first `limit` runs, in brief, that began between two times and succeeded, oldest first."""
        between = (RunRow.started_at > after, RunRow.started_at < before)
        wanted = _rows().where(RunRow.cohort == cohort, RunRow.state == RunState.SUCCEEDED.value, *between)
        return self._read_runs(wanted.order_by(RunRow.started_at, RunRow.key).limit(limit), Detail.TIMES)

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
        with self._reading() as session:
            keys = last_runs_with(session, changes)
        runs = {
            run.key: run for run in self._read_runs(_rows().where(RunRow.key.in_(set(keys.values()))), Detail.TIMES)
        }
        return {change: runs[key] for change, key in keys.items() if key in runs}

    def set_mode(self, change: ModeChange) -> None:
        """Adds the mode that a person gave a cohort."""
        with self._writing() as connection:
            connection.execute(
                insert(ModeRow).values(
                    cohort=change.cohort,
                    mode=change.mode.value if change.mode else "",
                    by=change.by,
                    at=change.at,
                    reason=change.reason,
                )
            )

    def mode_changes(self, cohort: str) -> list[ModeChange]:
        """The modes that people gave a cohort, oldest first."""
        said = select(ModeRow).where(ModeRow.cohort == cohort).order_by(ModeRow.id)
        with self._reading() as session:
            return list(_readable_modes(session.scalars(said)))

    def mode(self, cohort: str) -> Mode | None:
        """The mode that a person gave a cohort last; None where none holds."""
        changes = self.mode_changes(cohort)
        return changes[-1].mode if changes else None

    def set_objective(self, change: ObjectiveChange) -> None:
        """Adds what a person wants a cohort's changes judged by."""
        with self._writing() as connection:
            connection.execute(
                insert(ObjectiveRow).values(
                    cohort=change.cohort,
                    objective=change.objective.value if change.objective else "",
                    by=change.by,
                    at=change.at,
                    reason=change.reason,
                )
            )

    def objective_changes(self, cohort: str) -> list[ObjectiveChange]:
        """What people wanted a cohort's changes judged by, oldest first."""
        said = select(ObjectiveRow).where(ObjectiveRow.cohort == cohort).order_by(ObjectiveRow.id)
        with self._reading() as session:
            return list(_readable_objectives(session.scalars(said)))

    def objective(self, cohort: str) -> Objective | None:
        """What a person wants a cohort's changes judged by; None where nobody said."""
        changes = self.objective_changes(cohort)
        return changes[-1].objective if changes else None

    def record(self, *verdicts: Verdict) -> None:
        """Adds what a person said of actions: all or nothing."""
        with self._writing() as connection:
            for verdict in verdicts:
                connection.execute(_add_verdict(verdict))

    def verdicts(self, cohort: str) -> list[Verdict]:
        """What people said of a cohort's actions, oldest first."""
        said = select(VerdictRow).where(VerdictRow.cohort == cohort).order_by(VerdictRow.id)
        with self._reading() as session:
            return list(_readable_verdicts(session.scalars(said)))

    def _read_runs(self, query: Select[Any], detail: Detail = Detail.FULL) -> list[Run]:
        with collection_paused(), self._reading() as session:
            return _read(session, query, detail)

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        with explained(self._engine.url), Session(self._engine) as session:
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with explained(self._engine.url), self._writer.begin() as connection:
            yield connection


def _rows() -> Select[Any]:
    """Runs, and what they have of times: what `_read` takes."""
    columns: tuple[Any, ...] = (RunRow, TimesRow.times)
    return select(*columns)


def _read(session: Session, query: Select[Any], detail: Detail) -> list[Run]:
    """The runs of a query for rows and what they have of times; one of the two is read where that is all there is."""
    query = query.join(TimesRow, TimesRow.key == RunRow.key, isouter=True)
    if detail is Detail.FULL:
        query = query.options(undefer(RunRow.outcome))
    found = ((row, *_document(row, times, detail)) for row, times in session.execute(query))
    return [run for row, document, told in found if (run := readable_run(row, document, told)) is not None]


def _document(row: RunRow, times: str | None, detail: Detail) -> tuple[str | None, Detail]:
    """What is read of a run's outcome, and how much that tells: of one whose plans were let go its times are left."""
    if times is not None and (detail is not Detail.FULL or row.outcome is None):
        return times, Detail.TIMES
    return row.outcome, detail


def _replace_look_ahead(cohort: str, look_ahead: LookAhead, dialect: str) -> Insert:
    document = look_ahead_document(cohort, look_ahead)
    added = insert_into(LookAheadRow, dialect).values(cohort=cohort, digest=_digest(document), document=document)
    replaced = {name: added.excluded[name] for name in ("digest", "document")}
    return added.on_conflict_do_update(index_elements=[LookAheadRow.cohort], set_=replaced)


def _digest(document: str) -> str:
    return sha256(document.encode(errors="replace")).hexdigest()


def _insert_or_replace_decision(run: Run, dialect: str) -> Insert:
    added = insert_into(RunRow, dialect).values(
        key=run.key,
        cohort=run.cohort,
        try_number=run.try_number,
        state=run.state.value,
        mode=run.decision.mode.value,
        started_at=run.started_at,
        event_log_dir=run.event_log_dir,
        dag_id=run.origin.dag_id if run.origin else None,
        run_id=run.origin.run_id if run.origin else None,
        task_id=run.origin.task_id if run.origin else None,
        map_index=run.origin.map_index if run.origin else None,
        decision=decision_document(run.key, run.decision),
    )
    replaced = {name: added.excluded[name] for name in ("mode", "decision", "event_log_dir")}
    its_own = (RunRow.state == RunState.RUNNING.value) & (RunRow.cohort == run.cohort)
    return added.on_conflict_do_update(index_elements=[RunRow.key], set_=replaced, where=its_own)


def _require_untried(connection: Connection, run: Run, decided_with: Collection[str]) -> None:
    """TriedMeanwhileError where a run that is not among these, nor older, has a change in force that this one is to try."""
    trials = {decided.id for decided in run.decision.in_force if decided.standing is Standing.TRIAL}
    if not trials:
        return
    oldest = connection.scalar(select(func.min(RunRow.started_at)).where(RunRow.key.in_(decided_with)))
    others = [
        RunRow.cohort == run.cohort,
        RunRow.state == RunState.RUNNING.value,
        RunRow.key.not_in([*decided_with, run.key]),
    ]
    if oldest is not None:
        others.append(RunRow.started_at >= oldest)
    for key, document in connection.execute(select(RunRow.key, RunRow.decision).where(*others)):
        decision = readable_decision(key, document)
        if decision is not None and not trials.isdisjoint(decided.id for decided in decision.in_force):
            raise TriedMeanwhileError(f"run {key} began meanwhile and tries a change that run {run.key} was to try")


def _update_unfinished(
    key: str, state: RunState, ended_at: datetime, outcome: Outcome | None, seen: bool, goes_on: bool
) -> Update:
    of_run = update(RunRow).where(RunRow.key == key)
    mistaken: ColumnElement[bool] = false()
    if seen and state is RunState.FAILED:
        mistaken = RunRow.state == RunState.SUCCEEDED.value
    if outcome is None:
        running = and_(RunRow.outcome.is_(None), RunRow.state == RunState.RUNNING.value)
        return of_run.where(running | mistaken).values(state=state.value, ended_at=ended_at)
    # An outcome whose plans were let go is one.
    lacks: ColumnElement[bool] = (
        RunRow.app_id.is_(None) if outcome.duration_ms is None else RunRow.duration_ms.is_(None)
    )
    if goes_on and outcome.duration_ms is not None:
        lacks |= RunRow.duration_ms < outcome.duration_ms
    return of_run.where(lacks | mistaken).values(
        state=state.value,
        ended_at=ended_at,
        app_id=outcome.app_id,
        duration_ms=outcome.duration_ms,
        outcome=outcome_document(key, outcome),
    )


def _add_verdict(verdict: Verdict) -> Insert:
    return insert(VerdictRow).values(
        cohort=verdict.cohort,
        change_id=verdict.change_id,
        ruling=verdict.ruling.value,
        by=verdict.by,
        at=verdict.at,
        reason=verdict.reason,
    )


def _is_whole(run: Run, state: str) -> bool:
    return run.state == state and run.outcome is not None and run.outcome.duration_ms is not None


def _newest(what: Select[Any], cohort: str, limit: int, offset: int) -> Select[Any]:
    newest_first = (RunRow.started_at.desc(), RunRow.key.desc())
    return what.where(RunRow.cohort == cohort).order_by(*newest_first).limit(max(limit, 0)).offset(max(offset, 0))


def _readable_verdicts(rows: Iterable[VerdictRow]) -> Iterator[Verdict]:
    for row in rows:
        try:
            at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
            change_id, reason = of_kind(str, row.change_id, "change"), of_kind(str, row.reason, "reason")
            yield Verdict(row.cohort, change_id, Ruling(row.ruling), by, at, reason)
        except ValueError as error:
            skipped(f"a verdict on {row.change_id}", error)


def _readable_modes(rows: Iterable[ModeRow]) -> Iterator[ModeChange]:
    for row in rows:
        try:
            at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
            reason = of_kind(str, row.reason, "reason")
            yield ModeChange(row.cohort, Mode(row.mode) if row.mode else None, by, at, reason)
        except ValueError as error:
            skipped(f"a mode of cohort {row.cohort}", error)


def _readable_objectives(rows: Iterable[ObjectiveRow]) -> Iterator[ObjectiveChange]:
    for row in rows:
        try:
            at, by = of_kind(datetime, row.at, "time"), of_kind(str, row.by, "author")
            reason = of_kind(str, row.reason, "reason")
            yield ObjectiveChange(row.cohort, Objective(row.objective) if row.objective else None, by, at, reason)
        except ValueError as error:
            skipped(f"an objective of cohort {row.cohort}", error)
