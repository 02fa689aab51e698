"""Broadcasts that a user has switched off."""

from __future__ import annotations

from collections.abc import Mapping

from tuner.spark.knob import Knob
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD
from tuner.spark.settings import Settings

THRESHOLDS: tuple[Knob[int | None], ...] = (BROADCAST_THRESHOLD, ADAPTIVE_BROADCAST_THRESHOLD)


def broadcasts_off(conf: Mapping[str, str]) -> tuple[str, ...]:
    """The broadcast thresholds that are set below 0: then nothing is broadcast by them."""
    settings = Settings(conf)
    return tuple(knob.property for knob in THRESHOLDS if (settings[knob] or 0) < 0)
