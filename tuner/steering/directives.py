"""A decision in the form one Spark run understands."""

from __future__ import annotations

from dataclasses import dataclass, field

from tuner.advice.model import Action


@dataclass(frozen=True, slots=True)
class Directives:
    """Submit conf and, for `sql=` jobs, the rewritten statements.

    `overruled` lists actions that a setting or hint of the user's own forbids, each with the user's value.
    `conf` holds steering only; the event log's own properties are `observe_conf`.
    """

    conf: dict[str, str] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    overruled: tuple[tuple[Action, str], ...] = ()
