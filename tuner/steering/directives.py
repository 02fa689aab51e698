"""A decision in the form one Spark run understands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from tuner.model.action import Action


class Steering(StrEnum):
    """How a decision reaches a run: agent applies it to single joins while Spark plans, in any application; conf by
    properties, and by hints written into SQL text; off not at all, and the run is only observed."""

    AGENT = "agent"
    CONF = "conf"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Directives:
    """Submit conf and, for `sql=` jobs, the rewritten statements.

    `overruled` lists actions that a setting or hint of the user's own forbids, or that cannot be carried out, each with
    why. `conf` holds steering only; the event log's own properties are `observing_conf`. `steering` is the way that was
    used, `why` what kept another from being used. `merged` are properties that replace the user's own values, which
    they contain (`tuner.steering.agent.handover`); `sizes` are those in place of his. `fetched_jar` is as `Decision` has it.
    """

    conf: dict[str, str] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    overruled: tuple[tuple[Action, str], ...] = ()
    steering: Steering = Steering.CONF
    why: str = ""
    merged: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    fetched_jar: str = ""
