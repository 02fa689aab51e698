"""The file of a model of one's own fleet, in place of the shipped one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# What `spark-tuner explain --model --save FILE` writes.
VARIABLE = "SPARK_TUNER_MODEL"


def named_model(environ: Mapping[str, str]) -> Path | None:
    """The file that SPARK_TUNER_MODEL names; None where it names none."""
    named = environ.get(VARIABLE)
    return Path(named) if named else None
