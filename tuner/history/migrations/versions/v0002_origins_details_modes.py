"""Where runs come from, what people look at, and modes that people set."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_RUNS = "spark_tuner_runs"
_PARTS = ("dag_id", "run_id", "task_id", "map_index")


def upgrade() -> None:
    name = sa.Text().with_variant(TEXT(collation="C"), "postgresql")
    serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    for part in _PARTS[:3]:
        op.add_column(_RUNS, sa.Column(part, name))
    op.add_column(_RUNS, sa.Column("map_index", sa.Integer()))
    op.add_column(_RUNS, sa.Column("details", sa.Text()))
    op.create_index("ix_spark_tuner_runs_dag_id", _RUNS, ["dag_id", "task_id", "run_id"])
    op.create_table(
        "spark_tuner_modes",
        sa.Column("id", serial, primary_key=True),
        sa.Column("cohort", name, nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
    )
    op.create_index("ix_spark_tuner_modes_cohort_at", "spark_tuner_modes", ["cohort", "at"])
    _fill_origins()


def _fill_origins() -> None:
    """From the keys of Airflow's runs: dag, run, task, map index and try. Those of other runs have no two numbers last."""
    runs = sa.table(_RUNS, sa.column("key"), *map(sa.column, _PARTS))
    connection = op.get_bind()
    for key in connection.scalars(sa.select(runs.c.key)).all():
        parts = key.split("/")
        if len(parts) == 5 and parts[3].lstrip("-").isdecimal() and parts[4].isdecimal():
            values = dict(zip(_PARTS, (*parts[:3], int(parts[3])), strict=True))
            connection.execute(sa.update(runs).where(runs.c.key == key).values(**values))


def downgrade() -> None:
    op.drop_table("spark_tuner_modes")
    op.drop_index("ix_spark_tuner_runs_dag_id", _RUNS)
    for name in ("details", *_PARTS):
        op.drop_column(_RUNS, name)
