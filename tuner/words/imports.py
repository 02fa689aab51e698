"""What comes of an imported change, in words."""

from __future__ import annotations

from tuner.model.decision import Standing
from tuner.model.import_plan import Fate, PlannedTrial
from tuner.model.verdict import Ruling
from tuner.units import format_seconds
from tuner.words.counts import counted
from tuner.words.reasons import reason_words, why_words
from tuner.words.standings import standing_words

_DECIDED = {
    Standing.TRIAL: "on trial in the next run",
    Standing.PINNED: "pinned: in every run from the next one on",
    Standing.PROPOSED: "proposed: it waits for a person",
    Standing.HELD: "held in the next run",
}
_OF_FATE = {
    Fate.WAITS_FOR_RUN: "waits for the first run here",
    Fate.WAITS_FOR_QUERY: "waits until its query, with these joins, runs here",
    Fate.IMPORTED_BEFORE: "imported before",
    Fate.PINNED_HERE: "pinned here already",
    Fate.OTHER_PINNED_HERE: "something else is pinned here in its place",
    Fate.PROVEN_HERE: "proven here already",
    Fate.OTHER_PROVEN_HERE: "something else is proven here in its place",
    Fate.TRIED_HERE: "on trial here already",
}
_REFUSED = {Ruling.REJECT: "rejected", Ruling.ROLL_BACK: "rolled back"}


def fate_words(planned: PlannedTrial) -> str:
    """What becomes of it here, or why it is left out."""
    if planned.ruled is not None:
        ruled = planned.ruled
        why = f": {ruled.reason}" if ruled.reason else ""
        return f"{_REFUSED.get(ruled.ruling, ruled.ruling.value)} here by {ruled.by} on {ruled.at:%Y-%m-%d}{why}"
    here = planned.here
    if planned.fate is Fate.OUT_HERE and here is not None:
        return f"{standing_words(here.standing)} here: {why_words(here)}"
    if planned.fate is Fate.DECIDED and here is not None:
        words = _DECIDED.get(here.standing, standing_words(here.standing))
        return f"{words}: {reason_words(here.held)}" if here.held else words
    return _OF_FATE[planned.fate]


def gain_words(planned: PlannedTrial) -> str:
    """What it gained where it was proven: `6.4 s (5.9 to 7.0, 12 runs)`; "" where that was not measured."""
    gain = planned.trial.gain
    if gain is None:
        return ""
    words = format_seconds(gain.seconds)
    if gain.low is None or gain.high is None or gain.runs is None:
        return words
    return f"{words} ({format_seconds(gain.low)} to {format_seconds(gain.high)}, {counted(gain.runs, 'run')})"
