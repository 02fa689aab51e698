"""Cohorts as a list shows them, so that none has to read all runs; and what each change gained in each run."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# Figures and savings of cohorts whose runs are stored already are there from their next run on.
_NEWEST = """
    INSERT INTO spark_tuner_cohorts
        (cohort, runs, last_key, last_started_at, last_state, tasks, tags, state, mode, in_force, waiting, trend)
    SELECT cohort, runs, key, started_at, state, '[]', '[]', 'observing', mode, 0, 0, '[]' FROM (
        SELECT cohort, key, started_at, state, mode,
            COUNT(*) OVER (PARTITION BY cohort) AS runs,
            ROW_NUMBER() OVER (PARTITION BY cohort ORDER BY started_at DESC, key DESC) AS age
        FROM spark_tuner_runs
    ) AS ranked WHERE age = 1
"""
_DECISION = """
    SELECT r.mode, r.decision FROM spark_tuner_cohorts c JOIN spark_tuner_runs r ON r.key = c.last_key WHERE c.cohort = :cohort
"""
_STANCE = """
    UPDATE spark_tuner_cohorts SET state = :state, in_force = :in_force, waiting = :waiting WHERE cohort = :cohort
"""
_IN_FORCE = {"trial", "promoted", "pinned"}
_TASKS = (
    "SELECT DISTINCT cohort, dag_id, task_id FROM spark_tuner_runs WHERE dag_id IS NOT NULL AND task_id IS NOT NULL"
)


def upgrade() -> None:
    name = sa.Text().with_variant(TEXT(collation="C"), "postgresql")
    op.create_table(
        "spark_tuner_cohorts",
        sa.Column("cohort", name, primary_key=True),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("last_key", name, nullable=False),
        sa.Column("last_started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_state", sa.Text(), nullable=False),
        sa.Column("tasks", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("in_force", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("query_seconds", sa.Float()),
        sa.Column("application_seconds", sa.Float()),
        sa.Column("core_hours", sa.Float()),
        sa.Column("gib_hours", sa.Float()),
        sa.Column("gained_seconds", sa.Float()),
        sa.Column("gained_deviation", sa.Float()),
        sa.Column("gained_core_hours", sa.Float()),
        sa.Column("trend", sa.Text(), nullable=False),
    )
    op.create_table(
        "spark_tuner_savings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("cohort", name, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("week", name, nullable=False),
        sa.Column("run_key", name, nullable=False),
        sa.Column("change_id", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("deviation_in_run", sa.Float(), nullable=False),
        sa.Column("core_hours", sa.Float()),
        sa.Column("gib_hours", sa.Float()),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("of_run", sa.Float(), nullable=False),
    )
    op.create_index("ix_spark_tuner_savings_cohort_week", "spark_tuner_savings", ["cohort", "week"])
    op.create_table(
        "spark_tuner_weekly_savings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("cohort", name, nullable=False),
        sa.Column("week", name, nullable=False),
        sa.Column("change_id", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("deviation_in_run", sa.Float(), nullable=False),
        sa.Column("lost_seconds", sa.Float(), nullable=False),
        sa.Column("core_hours", sa.Float(), nullable=False),
        sa.Column("gib_hours", sa.Float(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("of_run", sa.Float(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_key", name, nullable=False),
    )
    op.create_index("ix_spark_tuner_weekly_savings_week", "spark_tuner_weekly_savings", ["week", "cohort"])
    op.create_index("ix_spark_tuner_weekly_savings_cohort", "spark_tuner_weekly_savings", ["cohort", "week"])
    _fill()


def _fill() -> None:
    connection = op.get_bind()
    connection.execute(sa.text(_NEWEST))
    tasks: dict[str, list[tuple[str, str]]] = {}
    for cohort, dag_id, task_id in connection.execute(sa.text(_TASKS)):
        tasks.setdefault(cohort, []).append((dag_id, task_id))
    update = sa.text("UPDATE spark_tuner_cohorts SET tasks = :tasks WHERE cohort = :cohort")
    for cohort, of_it in tasks.items():
        connection.execute(update, {"cohort": cohort, "tasks": json.dumps(sorted(of_it))})
    # One at a time: decisions are large.
    for (cohort,) in connection.execute(sa.text("SELECT cohort FROM spark_tuner_cohorts")).all():
        mode, decision = connection.execute(sa.text(_DECISION), {"cohort": cohort}).one()
        connection.execute(sa.text(_STANCE), {"cohort": cohort, **_stance(mode, decision)})


def _stance(mode: str, document: str) -> dict[str, object]:
    """Where the newest run's decision left its cohort; one that cannot be read, observing."""
    try:
        changes = json.loads(document)["changes"]
        standings = {change["standing"] for change in changes}
        alone = [change["standing"] for change in changes if not change["change"].get("needs")]
    except (AttributeError, KeyError, TypeError, ValueError):
        return {"state": "observing", "in_force": 0, "waiting": 0}
    waiting = 0 if mode == "observe" else alone.count("proposed")
    return {"state": _state(standings), "in_force": sum(s in _IN_FORCE for s in alone), "waiting": waiting}


def _state(standings: set[str]) -> str:
    if "trial" in standings:
        return "trial"
    if standings & _IN_FORCE:
        return "tuned"
    if standings & {"rolled_back", "expired"}:
        return "rolled_back"
    return "held" if standings == {"held"} else "observing"


def downgrade() -> None:
    op.drop_table("spark_tuner_weekly_savings")
    op.drop_table("spark_tuner_savings")
    op.drop_table("spark_tuner_cohorts")
