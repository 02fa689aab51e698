"""Why a query, or a run, took longer or shorter than another: a code with numbers. `tuner.words` says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tuner.model.reason import Number


class CauseKind(StrEnum):
    """What a difference comes from.

    changes: what the tuner had in force. settings: properties that others set, or the version of Spark. statement: what a query
    asks for. queries: which ran, and how often. scheduling: tasks took as long in all, but another number of them ran at once.
    outside: no query ran.
    """

    DATA = "data"
    LITERALS = "literals"
    PLAN = "plan"
    CHANGES = "changes"
    SETTINGS = "settings"
    CLUSTER = "cluster"
    SCHEDULING = "scheduling"
    MACHINE = "machine"
    STATEMENT = "statement"
    QUERIES = "queries"
    FAILURE = "failure"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"


class CauseCode(StrEnum):
    """What is said of a difference; which numbers it has, its sentence in `tuner.words.causes` tells."""

    INPUT = "input"
    ROWS = "rows"
    VALUES = "values"
    PLAN = "plan"
    CHANGES = "changes"
    SETTINGS = "settings"
    CORES = "cores"
    TASKS_AT_ONCE = "tasks_at_once"
    PROCESSORS = "processors"
    WAITING = "waiting"
    MACHINE = "machine"
    EDITED = "edited"
    APPEARED = "appeared"
    DISAPPEARED = "disappeared"
    EXECUTIONS = "executions"
    FAILED = "failed"
    OUTSIDE = "outside"
    NOT_TOLD = "not_told"


KINDS: Mapping[CauseCode, CauseKind] = {
    CauseCode.INPUT: CauseKind.DATA,
    CauseCode.ROWS: CauseKind.DATA,
    CauseCode.VALUES: CauseKind.LITERALS,
    CauseCode.PLAN: CauseKind.PLAN,
    CauseCode.CHANGES: CauseKind.CHANGES,
    CauseCode.SETTINGS: CauseKind.SETTINGS,
    CauseCode.CORES: CauseKind.CLUSTER,
    CauseCode.TASKS_AT_ONCE: CauseKind.SCHEDULING,
    CauseCode.PROCESSORS: CauseKind.MACHINE,
    CauseCode.WAITING: CauseKind.MACHINE,
    CauseCode.MACHINE: CauseKind.MACHINE,
    CauseCode.EDITED: CauseKind.STATEMENT,
    CauseCode.APPEARED: CauseKind.QUERIES,
    CauseCode.DISAPPEARED: CauseKind.QUERIES,
    CauseCode.EXECUTIONS: CauseKind.QUERIES,
    CauseCode.FAILED: CauseKind.FAILURE,
    CauseCode.OUTSIDE: CauseKind.OUTSIDE,
    CauseCode.NOT_TOLD: CauseKind.UNKNOWN,
}


class NotTold(StrEnum):
    """Why it cannot be told what a part of a difference comes from.

    unmeasured: what its tasks did was not kept. plan_or_machine: its plan is another, and too few queries did the same work in
    both runs to tell how fast the machine was. plan_not_kept: of very many executions it is one whose times alone were kept.
    version_or_machine: it ran on another version of Spark.
    """

    UNMEASURED = "unmeasured"
    PLAN_OR_MACHINE = "plan_or_machine"
    PLAN_NOT_KEPT = "plan_not_kept"
    VERSION_OR_MACHINE = "version_or_machine"


@dataclass(frozen=True, slots=True)
class Cause:
    """`seconds` of a difference come from it: more than 0 where it made the later run slower."""

    code: CauseCode
    seconds: float
    numbers: Mapping[str, Number] = field(default_factory=dict, hash=False)

    @property
    def kind(self) -> CauseKind:
        return KINDS[self.code]
