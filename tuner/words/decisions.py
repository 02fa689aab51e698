"""A decision in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from tuner.model.cohort_stance import waiting
from tuner.model.decision import IN_FORCE, Decision, Mode, Standing
from tuner.model.trial import decided_by_trial, standing_of
from tuner.words.reasons import reason_words
from tuner.words.sizes import size_words
from tuner.words.standings import standing_words

# What is said to be in force, or to wait, where nothing is.
NOTHING = "nothing"
STEERING_OFF = (
    "steering is off for this job, as its latest run had it: no mode changes anything "
    "(`steering` of its task or command, or of [spark_tuner], says so)"
)

SWITCHED_OFF = (
    "this server's configuration has the tuner switched off ([spark_tuner] enabled = False): where workers have that too, "
    "runs are neither changed nor recorded"
)


def decision_summary(decision: Decision) -> str:
    """One line for logs and tables: why it chose nothing, or how many changes stand where, what is tried together as one; and
    sizes in place of the job's."""
    return "; ".join([_of_changes(decision), *map(size_words, decision.sizes)])


def in_force_words(decision: Decision) -> str:
    """What a run with it has: how many changes stand where, and sizes; why nothing, where that is not for want of advice."""
    changes = _steered_apart(decision) or _counted(decision, IN_FORCE)
    return "; ".join(filter(None, [changes, *map(size_words, decision.sizes)])) or NOTHING


def waiting_words(decision: Decision) -> str:
    """How many changes only a person can let in, or make, as lists of cohorts count them; "nothing" where none are."""
    asked = len(waiting(decision))
    return f"{asked} {standing_words(Standing.PROPOSED)}" if asked else NOTHING


def _steered_apart(decision: Decision) -> str:
    """What is said of it in place of its changes: why it has none, or whose it has."""
    if decision.unsteered is not None:
        return reason_words(decision.unsteered)
    if decision.lent:
        # Neither how many nor what they are for is its reader's to know.
        return "first run: it has what other jobs have proven for queries that it shares with them"
    return ""


def _counted(decision: Decision, of: Collection[Standing] = tuple(Standing)) -> str:
    counts = Counter(map(standing_of, decided_by_trial(decision.changes)))
    return ", ".join(f"{counts[s]} {standing_words(s)}" for s in Standing if counts[s] and s in of)


def _of_changes(decision: Decision) -> str:
    if apart := _steered_apart(decision):
        return apart
    words = _counted(decision)
    if decision.mode is Mode.OBSERVE:
        return "; ".join(filter(None, ["observed", words]))
    return words or "nothing to change"
