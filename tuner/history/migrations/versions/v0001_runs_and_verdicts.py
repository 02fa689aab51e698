"""Runs and verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    name = sa.Text().with_variant(TEXT(collation="C"), "postgresql")
    serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "spark_tuner_runs",
        sa.Column("key", name, primary_key=True),
        sa.Column("cohort", name, nullable=False),
        sa.Column("try_number", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.Column("ended_at", moment),
        sa.Column("app_id", sa.Text()),
        sa.Column("duration_ms", sa.BigInteger()),
        sa.Column("event_log_dir", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text()),
    )
    op.create_index("ix_spark_tuner_runs_cohort_started_at", "spark_tuner_runs", ["cohort", "started_at", "key"])
    op.create_index("ix_spark_tuner_runs_cohort_state", "spark_tuner_runs", ["cohort", "state"])
    op.create_table(
        "spark_tuner_verdicts",
        sa.Column("id", serial, primary_key=True),
        sa.Column("cohort", name, nullable=False),
        sa.Column("action_id", sa.Text(), nullable=False),
        sa.Column("ruling", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
    )
    op.create_index("ix_spark_tuner_verdicts_cohort_at", "spark_tuner_verdicts", ["cohort", "at"])


def downgrade() -> None:
    op.drop_table("spark_tuner_verdicts")
    op.drop_table("spark_tuner_runs")
