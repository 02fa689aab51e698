"""The savings of one run are found without those of all others of its cohort."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_spark_tuner_savings_run_key", "spark_tuner_savings", ["cohort", "run_key"])


def downgrade() -> None:
    op.drop_index("ix_spark_tuner_savings_run_key", "spark_tuner_savings")
