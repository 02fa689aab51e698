"""What a task says of its own tuning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Of the core, which parsing a DAG does not wait for: a test holds them equal.
_CHOICES = {
    "mode": ("observe", "suggest", "auto"),
    "steering": ("agent", "conf", "off"),
    "objective": ("time", "cost", "balanced"),
    "spark_resources": ("observe", "raise", "tune"),
}


@dataclass(frozen=True, slots=True)
class Arguments:
    """SparkTunedOperator's arguments once rendered, or those of `tuned`; empty where the task leaves that to `[spark_tuner]`.

    `by_author`: its author had the task tuned, not a pattern of `[spark_tuner] enrol`.
    """

    cohort: str = ""
    mode: str = ""
    steering: str = ""
    event_log_base: str = ""
    store_conn_id: str = ""
    objective: str = ""
    spark_resources: str = ""
    by_author: bool = False


def check_choices(where: str, given: Any) -> None:
    """Raises ValueError where an argument of these names, if it is text, is none of the words that it takes."""
    for name, words in _CHOICES.items():
        value = getattr(given, name)
        if isinstance(value, str) and value and value not in words:
            raise ValueError(f"{where}: {name}={value!r} is unknown; give one of {', '.join(words)}")
