"""A decision as Spark properties to submit with. What the user set stays as it is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from tuner.model.action import Action, ActionKind
from tuner.model.decision import DecidedChange, Decision
from tuner.model.reason import ReasonCode
from tuner.plan.digest import digest
from tuner.spark.knobs import EXECUTOR_METRICS_POLLING, EXECUTOR_PROCESS_TREE_METRICS
from tuner.spark.run_tags import CHANGES, COHORT, DECISION, KEY, RUN
from tuner.steering.directives import Directives
from tuner.words.decisions import decision_summary

EVENT_LOG_ENABLED = "spark.eventLog.enabled"
EVENT_LOG_DIR = "spark.eventLog.dir"
# Makes Spark write the planner's own size estimates into the event log: what it compares with
# autoBroadcastJoinThreshold. Only the text of the plan in the UI's details changes.
EXPLAIN_MODE = "spark.sql.ui.explainMode"
# How many columns of a list Spark prints (25 by default): which relation the key of a join is of is told by them alone, where no
# file's schema tells.
MOST_FIELDS = "spark.sql.debug.maxToStringFields"
_PRINTED_FIELDS = 100
# Makes Spark write the most that driver and executors held of memory in each stage: an event for each process of a stage, each of
# which has ends of tasks there that are longer.
LOG_PEAKS = "spark.eventLog.logStageExecutorMetrics"

# Milliseconds between looks at their memory, and whether at that of their Python workers, too.
_POLLED = {EXECUTOR_METRICS_POLLING.property: "1000", EXECUTOR_PROCESS_TREE_METRICS.property: "true"}

# spark.redaction.regex: Spark blots out a property whose value looks like this, in the event log too (credentials: 4.3).
_REDACTED = re.compile(r"secret|password|token|access.?key|credential", re.IGNORECASE)
_PLAIN = re.compile(r"[!-~]{1,500}")


def steering_conf(decision: Decision, user_conf: Mapping[str, str]) -> Directives:
    """The properties of the changes in force; a change that sets one of the user's own is overruled, and listed."""
    conf: dict[str, str] = {}
    overruled: list[tuple[Action, str]] = []
    for decided in decision.changes:
        if not decided.is_in_force and not _is_overruled(decided):
            continue
        properties = [action for action in decided.change.carried_out if action.kind is ActionKind.SET_CONF]
        own = next((a.target for a in properties if a.target in user_conf), None)
        if own is None and decided.is_in_force:
            conf |= {action.target: action.value for action in properties}
        elif own is not None:
            overruled.extend((action, _why_overruled(action, own, user_conf)) for action in properties)
    return Directives(conf=conf, overruled=tuple(overruled))


def _is_overruled(decided: DecidedChange) -> bool:
    """Whether the policy has held it for the user's own setting."""
    return decided.held is not None and decided.held.code is ReasonCode.OVERRULED


def _why_overruled(action: Action, own: str, user_conf: Mapping[str, str]) -> str:
    """Half of what stands or falls together is a change that nobody judged."""
    if action.target in user_conf:
        return f"the job itself sets {action.target}={user_conf[action.target]}"
    return f"it is set only together with {own}, which the job itself sets"


def observing_conf(
    cohort: str, key: str, event_log: Mapping[str, str], decision: Decision, *, polls: bool = False
) -> dict[str, str]:
    """The properties that make a run leave an event log that can be found and read; `event_log` are those of its place.
    `polls`: executors look at their memory every second, and not only at the heap, nor only with each heartbeat (10 s)."""
    return {
        **event_log,
        EXPLAIN_MODE: "cost",
        MOST_FIELDS: str(_PRINTED_FIELDS),
        # Where the log is another's, so are its properties.
        **({LOG_PEAKS: "true"} if event_log else {}),
        **(_POLLED if polls else {}),
        KEY: marker(key),
        RUN: marker(key),
        COHORT: plain(cohort),
        DECISION: plain(decision_summary(decision)),
        CHANGES: changes_digest(decision),
    }


def changes_digest(decision: Decision) -> str:
    """What tells a decision from others in the event log: its changes, where each stands, and what was lent for it."""
    lent = (f"lent {decided.id}" for decided in decision.lent)
    return digest("\n".join(sorted([*(f"{decided.standing} {decided.id}" for decided in decision.changes), *lent])))


def marker(key: str) -> str:
    """What stands for a run's key in its event log: the key, or a digest of one that would not come back as it is."""
    if _PLAIN.fullmatch(key) and not _REDACTED.search(key):
        return key
    return "run-" + hashlib.sha256(key.encode(errors="replace")).hexdigest()[:32]


def is_redacted(value: str, redaction: str | None = None) -> bool:
    """Whether Spark blots out such a value in the event log: by its default pattern, or by the user's own.

    True also where the user's pattern cannot be read: it is Java's, and Python's differs in places.
    """
    try:
        return bool(_REDACTED.search(value) or (redaction and re.search(redaction, value)))
    except re.error:
        return True


def plain(text: str) -> str:
    """Text as the event log has it: what a command line takes in any locale."""
    return re.sub(r"[^ -~]", "?", text)[:500]
