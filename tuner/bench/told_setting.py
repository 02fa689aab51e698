"""Settings as they are kept and told: with their values only where they are known to hold no secret."""

from __future__ import annotations

from tuner.eventlog.properties import redact
from tuner.spark.knobs import KNOBS


def told_value(key: str, value: str, instead: str) -> str:
    """The value, where the key is known to hold no secret and the value looks like none; else what is told in its place."""
    setting = f"{key}={value}"
    return value if key in KNOBS and redact(setting) == setting else instead


def told_setting(setting: str) -> str:
    """KEY=VALUE, or KEY=?."""
    key, _, value = setting.partition("=")
    return f"{redact(key)}={told_value(key, value, '?')}"
