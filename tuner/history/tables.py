"""The store's tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import TEXT, BigInteger, DateTime, Dialect, Float, Index, Integer, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class UtcDateTime(TypeDecorator[datetime]):
    """A moment: timezone aware in Python, UTC in the database. ValueError for a naive one; None for what SQLite holds
    that is no moment."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.utcoffset() is None:
            raise ValueError(f"{value.isoformat()} has no time zone")
        return value and value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        process = super().result_processor(dialect, coltype)

        def readable(stored: Any) -> datetime | None:
            try:
                return process(stored) if process else stored
            except (TypeError, ValueError):
                return None

        return readable

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# Keys sort by code point in every database, whatever the server's locale.
_Name = Text().with_variant(TEXT(collation="C"), "postgresql")

# SQLite numbers rows by itself only in a column of exactly this type.
_Serial = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """The tables of one schema revision; migrations/versions says how a database gets there."""


class RunRow(Base):
    """A run. `decision`, `outcome` and `details` are JSON of the model's dataclasses; the columns before are what is
    looked up.

    The documents come last: SQLite then reads the columns before without reading them. Old runs may have none but `decision`
    (`plan_rows`).
    """

    __tablename__ = "spark_tuner_runs"

    key: Mapped[str] = mapped_column(_Name, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    try_number: Mapped[int] = mapped_column(Integer)
    state: Mapped[str] = mapped_column(Text)
    mode: Mapped[str] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    app_id: Mapped[str | None] = mapped_column(Text)
    duration_ms: Mapped[int | None] = mapped_column(BigInteger)
    event_log_dir: Mapped[str] = mapped_column(Text)
    dag_id: Mapped[str | None] = mapped_column(_Name)
    run_id: Mapped[str | None] = mapped_column(_Name)
    task_id: Mapped[str | None] = mapped_column(_Name)
    map_index: Mapped[int | None] = mapped_column(Integer)
    decision: Mapped[str] = mapped_column(Text)
    outcome: Mapped[str | None] = mapped_column(Text, deferred=True)
    details: Mapped[str | None] = mapped_column(Text, deferred=True)

    __table_args__ = (
        Index("ix_spark_tuner_runs_cohort_started_at", "cohort", "started_at", "key"),
        Index("ix_spark_tuner_runs_cohort_state", "cohort", "state"),
        Index("ix_spark_tuner_runs_dag_id", "dag_id", "task_id", "run_id"),
        Index("ix_spark_tuner_runs_started_at", "started_at", "key"),
    )


class TimesRow(Base):
    """What a run's times rest on, out of its outcome: a table of its own, for a database reads whole rows."""

    __tablename__ = "spark_tuner_times"

    key: Mapped[str] = mapped_column(_Name, primary_key=True)
    times: Mapped[str] = mapped_column(Text)


class CohortRow(Base):
    """A cohort as a list shows it: its newest run, where it stands, and its figures, so that no list has to read runs.

    `tasks`, `tags` and `trend` are JSON lists. What no run has told yet is NULL.
    """

    __tablename__ = "spark_tuner_cohorts"

    cohort: Mapped[str] = mapped_column(_Name, primary_key=True)
    runs: Mapped[int] = mapped_column(Integer)
    last_key: Mapped[str] = mapped_column(_Name)
    last_started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_state: Mapped[str] = mapped_column(Text)
    tasks: Mapped[str] = mapped_column(Text)
    tags: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    mode: Mapped[str] = mapped_column(Text)
    in_force: Mapped[int] = mapped_column(Integer)
    waiting: Mapped[int] = mapped_column(Integer)
    query_seconds: Mapped[float | None] = mapped_column(Float)
    application_seconds: Mapped[float | None] = mapped_column(Float)
    core_hours: Mapped[float | None] = mapped_column(Float)
    gib_hours: Mapped[float | None] = mapped_column(Float)
    gained_seconds: Mapped[float | None] = mapped_column(Float)
    gained_deviation: Mapped[float | None] = mapped_column(Float)
    gained_core_hours: Mapped[float | None] = mapped_column(Float)
    trend: Mapped[str] = mapped_column(Text)
    measured_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class SavingRow(Base):
    """What a change gained in a run: `tuner.model.saving.Saving`, with the start of the run and the Monday (UTC) before it.

    What is unsure of a run's changes is so of each by itself: `deviation_in_run` are shares that add up to the deviation of their
    sum. `of_run` are shares that add up to 1 for each run.
    """

    __tablename__ = "spark_tuner_savings"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    week: Mapped[str] = mapped_column(_Name)
    run_key: Mapped[str] = mapped_column(_Name)
    change_id: Mapped[str] = mapped_column(Text)
    seconds: Mapped[float] = mapped_column(Float)
    deviation: Mapped[float] = mapped_column(Float)
    deviation_in_run: Mapped[float] = mapped_column(Float)
    core_hours: Mapped[float | None] = mapped_column(Float)
    gib_hours: Mapped[float | None] = mapped_column(Float)
    failed: Mapped[int] = mapped_column(Integer)
    of_run: Mapped[float] = mapped_column(Float)

    __table_args__ = (
        Index("ix_spark_tuner_savings_cohort_week", "cohort", "week"),
        Index("ix_spark_tuner_savings_run_key", "cohort", "run_key"),
    )


class WeeklySavingRow(Base):
    """The savings of a change of a cohort in a week, summed, so that no answer has to read those of every run."""

    __tablename__ = "spark_tuner_weekly_savings"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    week: Mapped[str] = mapped_column(_Name)
    change_id: Mapped[str] = mapped_column(Text)
    seconds: Mapped[float] = mapped_column(Float)
    deviation: Mapped[float] = mapped_column(Float)
    deviation_in_run: Mapped[float] = mapped_column(Float)
    lost_seconds: Mapped[float] = mapped_column(Float)
    core_hours: Mapped[float] = mapped_column(Float)
    gib_hours: Mapped[float] = mapped_column(Float)
    failed: Mapped[int] = mapped_column(Integer)
    of_run: Mapped[float] = mapped_column(Float)
    runs: Mapped[int] = mapped_column(Integer)
    first_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_key: Mapped[str] = mapped_column(_Name)

    __table_args__ = (
        Index("ix_spark_tuner_weekly_savings_week", "week", "cohort"),
        Index("ix_spark_tuner_weekly_savings_cohort", "cohort", "week"),
    )


class LookAheadRow(Base):
    """What was decided for a cohort's next run when its last one ended; `digest` is that of the document."""

    __tablename__ = "spark_tuner_look_aheads"

    cohort: Mapped[str] = mapped_column(_Name, primary_key=True)
    digest: Mapped[str] = mapped_column(Text)
    document: Mapped[str] = mapped_column(Text)


class ProofRow(Base):
    """What a cohort has shown of changes to one of its queries (a fingerprint), for others: `proof` is JSON of
    `tuner.model.proof.Proof`. It is as of the cohort's latest run."""

    __tablename__ = "spark_tuner_proofs"

    cohort: Mapped[str] = mapped_column(_Name, primary_key=True)
    query: Mapped[str] = mapped_column(_Name, primary_key=True)
    told_at: Mapped[datetime] = mapped_column(UtcDateTime)
    gained_seconds: Mapped[float] = mapped_column(Float)
    proof: Mapped[str] = mapped_column(Text)

    __table_args__ = (
        Index("ix_spark_tuner_proofs_gained", "gained_seconds", "told_at"),
        Index("ix_spark_tuner_proofs_query", "query"),
    )


class ImportRow(Base):
    """A change that was imported from the baseline of another cohort: `document` is JSON of
    `tuner.model.imported_change.ImportedChange`. Imported anew, it replaces what was."""

    __tablename__ = "spark_tuner_imports"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    change_id: Mapped[str] = mapped_column(Text)
    document: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_spark_tuner_imports_cohort", "cohort"),)


class VerdictRow(Base):
    """What a person said of a change; never changed, and deleted with its cohort alone."""

    __tablename__ = "spark_tuner_verdicts"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    change_id: Mapped[str] = mapped_column(Text)
    ruling: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_spark_tuner_verdicts_cohort_at", "cohort", "at"),)


class ModeRow(Base):
    """The mode a person gave a cohort, empty for none of its own; never changed, and deleted with it alone."""

    __tablename__ = "spark_tuner_modes"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    mode: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_spark_tuner_modes_cohort_at", "cohort", "at"),)


class ObjectiveRow(Base):
    """What a person wants a cohort's changes judged by, empty for nothing of its own; never changed, and deleted with it
    alone."""

    __tablename__ = "spark_tuner_objectives"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    cohort: Mapped[str] = mapped_column(_Name)
    objective: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    reason: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_spark_tuner_objectives_cohort_at", "cohort", "at"),)
