"""One row for each cohort, kept with its runs: what a list of thousands shows of each without reading any run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, exists, func, select, update
from sqlalchemy.orm import Session

from tuner.history.documents import of_kind, skipped
from tuner.history.tables import CohortRow, RunRow
from tuner.history.upsert import insert_into
from tuner.model.cohort_figures import CohortFigures, Gained
from tuner.model.cohort_stance import CohortStance, stance_of
from tuner.model.decision import CohortState, Mode
from tuner.model.last_round import LastRound
from tuner.model.run import Run, RunState

# A DAG's tags are shown and filtered by; more than these are no use for either.
_MOST_TAGS, _MOST_TAG_CHARACTERS = 20, 200

_tasks = msgspec.json.Decoder(tuple[tuple[str, str], ...])
_texts = msgspec.json.Decoder(tuple[str, ...])
_trend = msgspec.json.Decoder(tuple[float | None, ...])


@dataclass(frozen=True, slots=True)
class CohortSummary:
    """A cohort as a list shows it: how many runs, how the newest one stands, and what is known of the next.

    `tasks` are the (dag_id, task_id) of Airflow that ran it, sorted; none outside Airflow. `tags` are those of its DAG.
    `figures` are None until a run was measured; `last_round` until one has ended, and where nobody asked for it.
    """

    cohort: str
    runs: int
    last_started_at: datetime
    last_state: RunState
    tasks: tuple[tuple[str, str], ...] = ()
    last_key: str = ""
    stance: CohortStance = CohortStance(CohortState.OBSERVING, Mode.OBSERVE)  # noqa: RUF009 (frozen)
    tags: tuple[str, ...] = ()
    figures: CohortFigures | None = None
    last_round: LastRound | None = None

    @property
    def dag_ids(self) -> frozenset[str]:
        return frozenset(dag_id for dag_id, _ in self.tasks)

    @property
    def is_measured(self) -> bool:
        """Whether its figures are of its last round, as far as that is known: else they are of an older run."""
        if self.figures is None or self.figures.measured_at is None or self.last_round is None:
            return self.figures is not None
        return self.figures.measured_at >= self.last_round.started_at

    @property
    def last_has_ended(self) -> bool:
        """Whether the newest run has ended, as far as that is known: one that is running, as its task saw."""
        return self.last_round is not None and self.last_round.newest == self.last_key

    def is_of(self, dag_id: str | None, task_id: str | None) -> bool:
        """Whether a task of Airflow ran it; None: any."""
        if dag_id is None and task_id is None:
            return True
        return any(dag_id in (None, dag) and task_id in (None, task) for dag, task in self.tasks)


def count_in(
    connection: Connection, run: Run, tags: Collection[str] | None = None, *, is_new: bool, decides: bool
) -> None:
    """After a run began (`is_new`), or began again: its cohort's row, made if there is none. The newest run's decision tells
    where the cohort stands, unless it had that before (`decides` False): people may have spoken since. `tags` None: as they were.
    """
    tasks, runs = _locked(connection, run, is_new=is_new)
    if run.origin is not None:
        tasks.add((run.origin.dag_id, run.origin.task_id))
    newest = _newest(connection, run.cohort)
    values = {"tasks": _json(sorted(tasks)), "runs": runs, **newest}
    if tags is not None:
        values["tags"] = _json(_kept(tags))
    if decides and newest["last_key"] == run.key:
        values |= _stance(stance_of(run.decision))
    connection.execute(update(CohortRow).where(CohortRow.cohort == run.cohort).values(**values))


def count_out(connection: Connection, cohort: str, runs: int = 1) -> None:
    """After so many runs of a cohort were taken out, the cohort being locked; with the last one its row goes."""
    of_it, newest = CohortRow.cohort == cohort, _newest(connection, cohort)
    if newest:
        connection.execute(update(CohortRow).where(of_it).values(runs=CohortRow.runs - runs, **newest))
    else:
        connection.execute(delete(CohortRow).where(of_it, ~exists().where(RunRow.cohort == cohort)))


def lock(connection: Connection, cohort: str) -> None:
    """Waits until no other transaction counts runs of a cohort; SQLite has one writer anyway."""
    connection.execute(select(CohortRow.cohort).where(CohortRow.cohort == cohort).with_for_update())


def lock_unborn(connection: Connection, cohort: str) -> None:
    """As `lock`, of a cohort that no run has, too: a row that is no cohort's is made, for who locks it to take out."""
    blank: dict[str, Any] = {
        "runs": 0,
        "last_key": "",
        "last_started_at": datetime.min.replace(tzinfo=UTC),
        "last_state": "",
        "in_force": 0,
    }
    blank |= {"tasks": "[]", "tags": "[]", "trend": "[]", "state": "", "mode": "", "waiting": 0}
    made = insert_into(CohortRow, connection.dialect.name).values(cohort=cohort, **blank)
    row = select(CohortRow.cohort).where(CohortRow.cohort == cohort).with_for_update()
    while connection.scalar(row) is None:
        connection.execute(made.on_conflict_do_nothing(index_elements=[CohortRow.cohort]))


def _locked(connection: Connection, run: Run, *, is_new: bool) -> tuple[set[tuple[str, str]], int]:
    """The tasks of a run's cohort, and how many runs it has with this one; locked as by `lock`."""
    of_it = CohortRow.cohort == run.cohort
    kept, is_made = select(CohortRow.tasks, CohortRow.runs).where(of_it).with_for_update(), False
    # Two first runs may begin at once: one makes the row, and the other waits for it. One that waits may find it gone.
    while (row := connection.execute(kept).first()) is None:
        is_made = connection.scalar(_made(run, connection.dialect.name)) is not None
    # Counting them would take longer with each: of a task of many instances there are hundreds of thousands.
    return set(_tasks.decode(row.tasks)), row.runs + (is_new and not is_made)


def _made(run: Run, dialect: str) -> Any:
    new = {"tasks": "[]", "tags": "[]", "trend": "[]", **_stance(stance_of(run.decision))}
    newest = {"last_key": run.key, "last_started_at": run.started_at, "last_state": run.state.value}
    runs = select(func.count()).where(RunRow.cohort == run.cohort).scalar_subquery()
    made = insert_into(CohortRow, dialect).values(cohort=run.cohort, runs=runs, **new, **newest)
    return made.on_conflict_do_nothing(index_elements=[CohortRow.cohort]).returning(CohortRow.cohort)


def _newest(connection: Connection, cohort: str) -> dict[str, Any]:
    """What a cohort's row tells of its newest run; nothing where it has none."""
    newest = select(RunRow.key, RunRow.started_at, RunRow.state).where(RunRow.cohort == cohort)
    row = connection.execute(newest.order_by(RunRow.started_at.desc(), RunRow.key.desc()).limit(1)).first()
    return {} if row is None else {"last_key": row.key, "last_started_at": row.started_at, "last_state": row.state}


def keep_stance(connection: Connection, cohort: str, stance: CohortStance) -> None:
    connection.execute(update(CohortRow).where(CohortRow.cohort == cohort).values(**_stance(stance)))


def keep_figures(connection: Connection, cohort: str, figures: CohortFigures) -> None:
    gained = figures.gained
    values = {
        "query_seconds": figures.query_seconds,
        "application_seconds": figures.application_seconds,
        "core_hours": figures.core_hours,
        "gib_hours": figures.gib_hours,
        "gained_seconds": gained.seconds if gained else None,
        "gained_deviation": gained.deviation if gained else None,
        "gained_core_hours": gained.core_hours if gained else None,
        "trend": _json(figures.trend),
        "measured_at": figures.measured_at,
    }
    connection.execute(update(CohortRow).where(CohortRow.cohort == cohort).values(**values))


def keep_last_state(connection: Connection, key: str, state: RunState) -> None:
    """After a run ended: its cohort's row says so where it is the newest."""
    connection.execute(update(CohortRow).where(CohortRow.last_key == key).values(last_state=state.value))


def read_cohorts(
    session: Session, dag_id: str | None, task_id: str | None, run_id: str | None, cohort: str | None
) -> list[CohortSummary]:
    """Every cohort that has a run, by name: as `Store.cohorts`. Those that another version wrote otherwise are skipped, with a
    warning."""
    given = {RunRow.dag_id: dag_id, RunRow.task_id: task_id, RunRow.run_id: run_id}
    wanted = [column == value for column, value in given.items() if value is not None]
    within = None
    if run_id is not None:
        within = set(session.scalars(select(RunRow.cohort).where(*wanted).distinct()))
    found = [summary for row in session.execute(_rows(cohort)) if (summary := _summary(row)) is not None]
    of_it = (summary for summary in found if within is None or summary.cohort in within)
    return [summary for summary in of_it if summary.is_of(dag_id, task_id)]


def _rows(cohort: str | None) -> Select[Any]:
    """All cohorts, or one, by name."""
    found = select(*CohortRow.__table__.columns)
    return (found if cohort is None else found.where(CohortRow.cohort == cohort)).order_by(CohortRow.cohort)


def _summary(row: Row[Any]) -> CohortSummary | None:
    try:
        return _decoded(row)
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        skipped(f"cohort {row.cohort}", error)
        return None


@lru_cache(
    maxsize=10_000
)  # Few rows differ from one answer to the next, and to decode them takes longer than to read them.
def _decoded(row: Row[Any]) -> CohortSummary:
    return CohortSummary(
        of_kind(str, row.cohort, "name"),
        of_kind(int, row.runs, "number of runs"),
        of_kind(datetime, row.last_started_at, "start"),
        RunState(row.last_state),
        _tasks.decode(row.tasks),
        of_kind(str, row.last_key, "key"),
        CohortStance(CohortState(row.state), Mode(row.mode), row.in_force, row.waiting),
        _texts.decode(row.tags),
        _figures(row),
    )


def _figures(row: Row[Any]) -> CohortFigures | None:
    if row.query_seconds is None:
        return None
    gained = None
    if row.gained_seconds is not None:
        gained = Gained(float(row.gained_seconds), float(row.gained_deviation or 0.0), row.gained_core_hours)
    measured = (float(row.query_seconds), row.application_seconds, row.core_hours, row.gib_hours)
    return CohortFigures(*measured, gained, _trend.decode(row.trend), row.measured_at)


def _stance(stance: CohortStance) -> dict[str, Any]:
    told = {"state": stance.state.value, "mode": stance.mode.value}
    return {**told, "in_force": stance.in_force, "waiting": stance.waiting}


def _kept(tags: Collection[str]) -> list[str]:
    return sorted({tag[:_MOST_TAG_CHARACTERS] for tag in tags})[:_MOST_TAGS]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
