"""A store that nobody named and that holds nothing: where each run has a disk of its own, so is every night's."""

from __future__ import annotations

import os
from collections.abc import Mapping

from tuner.history.store import Store
from tuner.history.url import VARIABLE, is_default_file


def told_of_new_store(store: Store, url: str, environ: Mapping[str, str] = os.environ) -> list[str]:
    """What its first run is told of a default store; nothing of one that somebody named, or that knows a job."""
    if not is_default_file(url, environ) or store.names():
        return []
    return [
        f"the history store {store.place} is new, and of this machine alone: where each run has a disk of its own, or several "
        f"machines run the job, name one store for all: [spark_tuner] sql_alchemy_conn, or {VARIABLE}"
    ]
