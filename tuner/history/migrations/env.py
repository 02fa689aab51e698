"""Run by Alembic for every command: applies the revisions on the connection, and in the transaction, it is given."""

from __future__ import annotations

from alembic import context

from tuner.history.schema import VERSION_TABLE
from tuner.history.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
