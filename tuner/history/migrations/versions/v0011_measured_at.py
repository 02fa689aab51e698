"""Which run a cohort's figures are of: when it began."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

# A cohort that is measured no more would never tell.
_FILL = """
    UPDATE spark_tuner_cohorts SET measured_at = (
        SELECT max(run.started_at) FROM spark_tuner_runs AS run
        WHERE run.cohort = spark_tuner_cohorts.cohort AND run.state = 'succeeded' AND run.app_id IS NOT NULL
    )
    WHERE query_seconds IS NOT NULL
"""


def upgrade() -> None:
    op.add_column("spark_tuner_cohorts", sa.Column("measured_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(_FILL)


def downgrade() -> None:
    op.drop_column("spark_tuner_cohorts", "measured_at")
