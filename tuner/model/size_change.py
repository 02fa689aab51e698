"""Another size than a job asks for: more memory after a death for want of it, less where it was never used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tuner.model.reason import Reason


class Resources(StrEnum):
    """What becomes of the sizes that a job asks for. observe: nothing. raise: more after a death for memory, and from then on
    as much as worked. tune: that, and less where none of its runs came near to what they held."""

    OBSERVE = "observe"
    RAISE = "raise"
    TUNE = "tune"


@dataclass(frozen=True, slots=True)
class SizeChange:
    """A property of a run set in place of the job's own: what it is, what it was ("" where it was not set), and why."""

    property: str
    value: str
    was: str
    why: Reason


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """The most bytes that a platform lets executors' containers (heap, overhead and all) and drivers' heaps have. Where nobody
    said (None), that is twice what the job asks for; of a driver beside spark-submit (not `is_driver_apart`), what it asks for.

    `shapes` are the containers that a service has: for numbers of cores, ascending, the most bytes; () where any is to be had.
    """

    executor_bytes: int | None = None
    driver_bytes: int | None = None
    shapes: tuple[tuple[int, int], ...] = ()
    is_driver_apart: bool = False

    def largest_shape(self, cores: int) -> int | None:
        """The most bytes of a container of so many cores: 0 where there is none, None where any is to be had."""
        if not self.shapes:
            return None
        return dict(self.shapes).get(cores, 0)


def values_of(sizes: Iterable[SizeChange]) -> frozenset[tuple[str, str]]:
    """What is set, and to what, whyever."""
    return frozenset((one.property, one.value) for one in sizes)


def as_asked(conf: Mapping[str, str], sizes: Iterable[SizeChange]) -> dict[str, str]:
    """A run's conf as its job asks for it, without the sizes that were set in place of the job's own."""
    own = dict(conf)
    for one in sizes:
        if one.was:
            own[one.property] = one.was
        else:
            own.pop(one.property, None)
    return own
