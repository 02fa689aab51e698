"""Cohorts that something was imported for and that have no run yet."""

from __future__ import annotations

from tuner.history.store import Store


def unborn_cohorts(store: Store, born: frozenset[str]) -> list[str]:
    """Their names, sorted; `born` are cohorts that have runs."""
    return [name for name in store.names() if name not in born and not store.count(name) and store.imports(name)]
