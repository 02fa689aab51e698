"""What is known of one of Spark's properties."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from tuner.model.change import Risk
from tuner.spark.lever import Lever
from tuner.spark.version import Version

V = TypeVar("V", covariant=True)


class Unit(StrEnum):
    """What a property counts, and so how its text is read."""

    FLAG = "flag"
    BYTES = "bytes"
    MEBIBYTES = "mebibytes"  # of a number without a unit
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    COUNT = "count"
    RATIO = "ratio"
    SHARE = "share"  # from 0 to 1
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers worth trying, both ends included, on a log scale."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Knob(Generic[V]):
    """A property of Spark: `default` in the newest version known, and `since` when it is there.

    `source` is the name of its ConfigEntry in Spark's code. `changed` tells the version that brought the default, and the
    one before. What moves something that the tuner decides about has a `lever`, what a search may try a `range` (of a
    flag: both values). `risk` is what setting it may cost.
    """

    property: str
    unit: Unit
    default: V
    since: Version
    source: str
    changed: tuple[Version, V] | None = None
    lever: Lever | None = None
    risk: Risk = Risk.MEDIUM
    range: Range | None = None

    def default_in(self, version: Version) -> V:
        """The default of a version of Spark."""
        if self.changed is not None and version < self.changed[0]:
            return self.changed[1]
        return self.default
