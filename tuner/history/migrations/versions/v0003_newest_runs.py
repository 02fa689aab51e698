"""The newest runs of all cohorts, from which a new one starts, and what times rest on, apart from all else of a run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_spark_tuner_runs_started_at", "spark_tuner_runs", ["started_at", "key"])
    # Runs that are stored already are read from their outcomes.
    op.create_table(
        "spark_tuner_times",
        sa.Column("key", sa.Text().with_variant(TEXT(collation="C"), "postgresql"), primary_key=True),
        sa.Column("times", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("spark_tuner_times")
    op.drop_index("ix_spark_tuner_runs_started_at", "spark_tuner_runs")
