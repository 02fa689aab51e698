"""A query as it truly is, and the classes of values that its filters may have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tuner.model.query_values import FilterCondition
from tuner.plan.literals import literal_class

USUAL = "usual"
# Every query asks a table for one of many values, and another for what is always the same.
FILTERED, ALWAYS = "fact.batch", FilterCondition("dim.kind", "always")


@dataclass(frozen=True, slots=True)
class Values:
    """One choice of values in a query's filters. `literals` is their id, as a log would have it.

    Values of one `kind` are alike: a change does the same to them. `rows` and `input` are how much of the usual night's work
    and input bytes they make (a filter may take few rows, and still read all files), `counted` how many times as many rows are
    counted, where that is another number.
    """

    literals: str
    kind: str = USUAL
    rows: float = 1.0
    input: float = 1.0
    counted: float = 0.0

    @property
    def conditions(self) -> tuple[FilterCondition, ...]:
        """As a log tells them."""
        return _conditions(self.literals)

    def class_beside(self, neutral: frozenset[str] = frozenset()) -> str:
        """The class that they are of, whatever is asked of the `neutral` columns."""
        return _class(self.literals, neutral)


def _conditions(literals: str) -> tuple[FilterCondition, ...]:
    return FilterCondition(FILTERED, literals), ALWAYS


@lru_cache(maxsize=100_000)
def _class(literals: str, neutral: frozenset[str]) -> str:
    return literal_class(_conditions(literals), neutral)


@dataclass(frozen=True, slots=True)
class SimulatedQuery:
    """A query between two nights (`until` is the first without it). `seconds` are those of the usual input on the usual machine,
    `fixed_share` of which do not follow the input, and `serial_share` not the number of cores (Amdahl's law).

    It keeps `busy_cores` busy on average, which compute for `cpu_share` of that time. Stages with `untouched_share` of its
    work do the same whatever is in force.
    """

    fingerprint: str
    seconds: float
    input_bytes: int
    fixed_share: float
    since: int
    until: int
    busy_cores: float = 4.0
    cpu_share: float = 0.8
    untouched_share: float = 0.25
    serial_share: float = 0.2
