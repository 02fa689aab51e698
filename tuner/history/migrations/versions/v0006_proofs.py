"""What each cohort has shown of changes to the joins of its queries, for others that run the same queries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Cohorts whose runs are stored already lend from their next run on.
    name = sa.Text().with_variant(TEXT(collation="C"), "postgresql")
    op.create_table(
        "spark_tuner_proofs",
        sa.Column("cohort", name, primary_key=True),
        sa.Column("query", name, primary_key=True),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("gained_seconds", sa.Float(), nullable=False),
        sa.Column("proof", sa.Text(), nullable=False),
    )
    op.create_index("ix_spark_tuner_proofs_gained", "spark_tuner_proofs", ["gained_seconds", "told_at"])
    op.create_index("ix_spark_tuner_proofs_query", "spark_tuner_proofs", ["query"])


def downgrade() -> None:
    op.drop_table("spark_tuner_proofs")
