"""Viewers made by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Someone:
    """May do everything, unless told otherwise. `acts_on` and `reads_code_of` are DAGs; None is all."""

    name: str = "ana"
    reads: frozenset[str] | None = None
    acts_on: frozenset[str] | None = None
    reads_code_of: frozenset[str] | None = None

    def readable_dags(self) -> frozenset[str] | None:
        return self.reads

    def may_act_on(self, dag_ids: frozenset[str]) -> bool:
        return self.acts_on is None or dag_ids <= self.acts_on

    def may_read_code_of(self, dag_ids: frozenset[str]) -> bool:
        return self.reads_code_of is None or dag_ids <= self.reads_code_of


def reader(*dags: str) -> Someone:
    """Reads these DAGs, and no more."""
    return Someone("rita", frozenset(dags), frozenset(), frozenset())


def editor(*dags: str) -> Someone:
    """Reads and changes these DAGs."""
    return Someone("ed", frozenset(dags), frozenset(dags), frozenset(dags))
