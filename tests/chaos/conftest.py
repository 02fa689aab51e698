"""A PostgreSQL server for those that kill what uses it."""

from tests.history.conftest import postgres_server

__all__ = ["postgres_server"]
