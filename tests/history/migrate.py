"""Migrations taken one after the other, as on a database that an earlier version made."""

from __future__ import annotations

from collections.abc import Callable

from alembic.config import Config
from sqlalchemy import Engine


def alembic_config() -> Config:
    config = Config()
    config.set_main_option("script_location", "tuner.history:migrations")
    return config


def migrate(engine: Engine, step: Callable[[Config, str], None], revision: str) -> None:
    """`step` is Alembic's `command.upgrade` or `command.downgrade`, which an empty database takes from the first version on."""
    config = alembic_config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        step(config, revision)
