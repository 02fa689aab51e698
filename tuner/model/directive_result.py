"""What became of what the Catalyst agent was told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tuner.model.reason import Reason


class DirectiveStatus(StrEnum):
    """applied: the plan is as directed. held: too large in this run, or its query had other values. ignored: something else
    won. impossible: not found, or not safe to do."""

    APPLIED = "applied"
    HELD = "held"
    IGNORED = "ignored"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class DirectiveResult:
    """What became of one directive of the Catalyst agent's for a query, by the id of its action, and why.

    `join` is the signature of the join that a hint was for, where the log tells it. `held` says in numbers what did not hold
    in the run, where its agent told that. `merged` is the fingerprint of the query, where the plan lost the filters that it is
    known by.
    """

    action_id: str
    status: DirectiveStatus
    reason: str = ""
    join: str = ""
    held: Reason | None = None
    merged: str = ""
