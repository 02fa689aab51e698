"""What people want the changes of each cohort judged by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "spark_tuner_objectives",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("cohort", sa.Text().with_variant(TEXT(collation="C"), "postgresql"), nullable=False),
        sa.Column("objective", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
    )
    op.create_index("ix_spark_tuner_objectives_cohort_at", "spark_tuner_objectives", ["cohort", "at"])


def downgrade() -> None:
    op.drop_table("spark_tuner_objectives")
