"""Changes that were imported from the baselines of other cohorts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    name = sa.Text().with_variant(TEXT(collation="C"), "postgresql")
    op.create_table(
        "spark_tuner_imports",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("cohort", name, nullable=False),
        sa.Column("change_id", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
    )
    op.create_index("ix_spark_tuner_imports_cohort", "spark_tuner_imports", ["cohort"])


def downgrade() -> None:
    op.drop_table("spark_tuner_imports")
