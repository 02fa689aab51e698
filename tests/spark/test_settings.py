"""Values of properties as texts give them."""

from __future__ import annotations

from typing import Any

import pytest

from tuner.spark import knobs
from tuner.spark.knob import Knob
from tuner.spark.settings import Settings
from tuner.units import GIB, MIB


@pytest.mark.parametrize(
    ("knob", "text", "value"),
    [
        (knobs.ADAPTIVE, " TRUE ", True),
        (knobs.ADAPTIVE, "yes", False),
        (knobs.BROADCAST_THRESHOLD, "-1", -1),
        (knobs.BROADCAST_THRESHOLD, "20m", 20 * MIB),
        (knobs.BROADCAST_THRESHOLD, "ten", 10 * MIB),
        (knobs.DRIVER_MEMORY, "512", 512 * MIB),
        (knobs.DRIVER_MEMORY, "4g", 4 * GIB),
        (knobs.SHUFFLE_PARTITIONS, "16", 16),
        (knobs.SHUFFLE_PARTITIONS, "16.5", 200),
        (knobs.SHUFFLE_PARTITIONS, "9" * 40, 200),
        (knobs.SHUFFLE_PARTITIONS, "-3", 200),
        (knobs.BROADCAST_PARTITIONING_LIMIT, "0", 0),
        (knobs.BROADCAST_TIMEOUT, "600", 600),
        (knobs.BROADCAST_TIMEOUT, "10Min", 600),
        (knobs.BROADCAST_TIMEOUT, "-1", -1),
        (knobs.BROADCAST_TIMEOUT, "1.5h", 300),
        (knobs.SKEW_JOIN_FACTOR, "2.5", 2.5),
        (knobs.SKEW_JOIN_FACTOR, "nan", 5.0),
        (knobs.JOIN_REORDER_WEIGHT, "1", 1.0),
        (knobs.JOIN_REORDER_WEIGHT, "1.5", 0.7),
        (knobs.SHUFFLE_MANAGER, "tungsten-sort", "tungsten-sort"),
    ],
)
def test_a_text_is_read_by_its_unit(knob: Knob[Any], text: str, value: object) -> None:
    assert Settings({knob.property: text})[knob] == value


def test_what_is_unset_is_the_default_of_the_version() -> None:
    assert Settings({})[knobs.ADAPTIVE] and not Settings({}, (3, 1, 3))[knobs.ADAPTIVE]
    assert Settings({})[knobs.ADAPTIVE_BROADCAST_THRESHOLD] is None
    assert knobs.CBO not in Settings({})
    assert knobs.CBO in Settings({"spark.sql.cbo.enabled": "false"})
