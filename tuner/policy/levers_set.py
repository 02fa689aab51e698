"""What the properties that a change sets move."""

from __future__ import annotations

from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.spark.knobs import KNOBS
from tuner.spark.lever import Lever


def levers_set(change: Change) -> frozenset[Lever]:
    """None of a property that is no knob."""
    knobs = (KNOBS.get(action.target) for action in change.actions if action.kind is ActionKind.SET_CONF)
    return frozenset(knob.lever for knob in knobs if knob is not None and knob.lever is not None)
