"""The properties that a search tries, of those that the tuner decides about too."""

from __future__ import annotations

from tuner.spark.knobs import KNOBS

_SEARCHED = tuple(knob for knob in KNOBS.values() if knob.range is not None)
# A session sets what is SQLConf's, for each query by itself; the rest is set when the application starts, for all.
OF_QUERY = tuple(knob for knob in _SEARCHED if knob.property.startswith("spark.sql."))
OF_APPLICATION = tuple(knob for knob in _SEARCHED if knob not in OF_QUERY)
