"""A store's database, behind its back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from tuner.history.engine import open_engine
from tuner.history.url import parse


@contextmanager
def database(url: str) -> Iterator[Connection]:
    """In one transaction."""
    engine = open_engine(parse(url))
    with engine.begin() as connection:
        yield connection
    engine.dispose()
