"""A decision in one line."""

from __future__ import annotations

from collections import Counter

from tuner.model.decision import Decision, Mode, Standing
from tuner.words.reasons import reason_words
from tuner.words.sizes import size_words
from tuner.words.standings import standing_words


def decision_summary(decision: Decision) -> str:
    """One line for logs and tables: why it chose nothing, or how many changes stand where; and sizes in place of the job's."""
    return "; ".join([_of_changes(decision), *map(size_words, decision.sizes)])


def _of_changes(decision: Decision) -> str:
    if decision.unsteered is not None:
        return reason_words(decision.unsteered)
    if decision.lent:
        # Neither how many nor what they are for is its reader's to know.
        return "first run: what other jobs have proven goes along, for queries that it shares with them"
    counts = Counter(decided.standing for decided in decision.changes)
    words = ", ".join(f"{counts[s]} {standing_words(s)}" for s in Standing if counts[s])
    if decision.mode is Mode.OBSERVE:
        return "; ".join(filter(None, ["observed", words]))
    return words or "nothing to change"
