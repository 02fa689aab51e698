"""The newest runs of all cohorts: what a new cohort starts from."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_spark_tuner_runs_started_at", "spark_tuner_runs", ["started_at", "key"])


def downgrade() -> None:
    op.drop_index("ix_spark_tuner_runs_started_at", "spark_tuner_runs")
