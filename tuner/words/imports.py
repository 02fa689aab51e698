"""What comes of an imported change, in words."""

from __future__ import annotations

from tuner.model.decision import Standing
from tuner.model.exported_baseline import Refused, SaidThere
from tuner.model.import_plan import Fate, LeftOut, PlannedTrial, PlannedWords
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

_TAKEN, _SPOKEN = "holds here, too", "left out: people here have spoken"
_LEFT_OUT = {
    LeftOut.AUTO: "left out: who wants it here says so with `spark-tuner mode`",
    LeftOut.AS_STRICT: "left out: the job's mode here is as strict, or stricter",
    LeftOut.IN_FORCE_HERE: "left out: changes are in force here; who wants it says so with `spark-tuner mode`",
    LeftOut.PROVEN_HERE: "left out: runs here have proven it",
    LeftOut.PROVEN_THERE: "left out: this file has proven a change of the same property",
}


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


def said_words(said: SaidThere) -> list[str]:
    """What goes along with what was proven; nothing where people said nothing."""
    words = []
    if said.mode and said.mode.mode:
        words.append(f"mode {said.mode.mode}")
    if said.objective and said.objective.objective:
        words.append(f"objective {said.objective.objective}")
    if said.refused:
        words.append(f"{counted(len(said.refused), 'change')} refused")
    return words


def planned_said_words(said: SaidThere, planned: PlannedWords) -> list[str]:
    """What comes here of each."""
    words = []
    if said.mode and said.mode.mode:
        words.append(f"mode {said.mode.mode}: {_mode_words(planned)}")
    if said.objective and said.objective.objective:
        words.append(f"objective {said.objective.objective}: {_TAKEN if planned.objective else _SPOKEN}")
    return words


def refused_words(one: Refused) -> str:
    """Who refused it there, when, and why."""
    why = f": {one.ruled.reason}" if one.ruled.reason else ""
    return f"{_REFUSED.get(one.ruled.ruling, one.ruled.ruling.value)} by {one.ruled.by} on {one.ruled.at:%Y-%m-%d}{why}"


def refusal_fate_words(one: Refused, planned: PlannedWords) -> str:
    """What comes of it here."""
    if (why := planned.left_out.get(one.change_id)) is not None:
        return _LEFT_OUT[why]
    return _TAKEN if any(verdict.change_id == one.change_id for verdict in planned.refusals) else _SPOKEN


def _mode_words(planned: PlannedWords) -> str:
    if planned.mode_left_out is not None:
        return _LEFT_OUT[planned.mode_left_out]
    return _TAKEN if planned.mode else _SPOKEN
