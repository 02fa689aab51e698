"""The decision for a cohort's next run, as its last one left it: a table of its own, of one row for each cohort."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TEXT

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "spark_tuner_look_aheads",
        sa.Column("cohort", sa.Text().with_variant(TEXT(collation="C"), "postgresql"), primary_key=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("spark_tuner_look_aheads")
