"""How far what is foretold of changes is off, by what came of changes before."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

# Of intervals, everywhere: nine of ten hold what comes.
LEVEL = 0.90
# Fewer pairs have no 5th percentile that they bound (Vovk et al. 2005: it takes 1/0.05 - 1 of them).
MIN_PAIRS = 20


@dataclass(frozen=True, slots=True)
class PredictionPair:
    """What was foretold of an advisor's change in a job, and what came of it: logarithms of the seconds of its queries with
    it over those without."""

    advisor: str
    job: str
    foretold: float
    measured: float

    @property
    def error(self) -> float:
        return self.measured - self.foretold


@dataclass(frozen=True, slots=True)
class ErrorBounds:
    """What `LEVEL` of the errors of `pairs` predictions are between, as logarithms to add to what is foretold."""

    low: float
    high: float
    pairs: int


@dataclass(frozen=True, slots=True)
class PredictionErrors:
    """The bounds of each advisor that has enough pairs, and those for `others`: by theirs together, by all pairs where these are
    too few, None where all are."""

    by_advisor: Mapping[str, ErrorBounds]
    others: ErrorBounds | None

    def bounds(self, advisor: str) -> ErrorBounds | None:
        return self.by_advisor.get(advisor, self.others)


def prediction_errors(pairs: Iterable[PredictionPair]) -> PredictionErrors:
    """Split-conformal bounds by advisor (Lei et al. 2018): they hold for a change of a job that is none of these, if it is like
    them; nothing is assumed of how errors are spread."""
    by_advisor: dict[str, list[float]] = {}
    for pair in pairs:
        by_advisor.setdefault(pair.advisor, []).append(pair.error)
    rest = [error for errors in by_advisor.values() if len(errors) < MIN_PAIRS for error in errors]
    found = {advisor: _bounds(errors) for advisor, errors in by_advisor.items() if len(errors) >= MIN_PAIRS}
    every = [error for errors in by_advisor.values() for error in errors]
    pooled = next((errors for errors in (rest, every) if len(errors) >= MIN_PAIRS), None)
    return PredictionErrors(found, _bounds(pooled) if pooled else None)


def _bounds(errors: Sequence[float]) -> ErrorBounds:
    ascending, count = sorted(errors), len(errors)
    outside = (1 - LEVEL) / 2
    lowest = max(1, math.floor((count + 1) * outside))
    highest = min(count, math.ceil((count + 1) * (1 - outside)))
    return ErrorBounds(ascending[lowest - 1], ascending[highest - 1], count)


@cache
def shipped_pairs() -> tuple[PredictionPair, ...]:
    """Those that the package holds: changes of benchmarks, tests/benchmarks/prediction_pairs.py."""
    document = (files("tuner.cost.learned") / "prediction_pairs.json").read_bytes()
    return msgspec.json.decode(document, type=tuple[PredictionPair, ...])


@cache
def shipped_errors() -> PredictionErrors:
    """Errors of predictions until a deployment has its own."""
    return prediction_errors(shipped_pairs())


def errors_with(own: Iterable[PredictionPair]) -> PredictionErrors:
    """Errors by a deployment's own pairs, for each advisor that has enough of them; by these and the shipped ones for others."""
    mine = list(own)
    if not mine:
        return shipped_errors()
    counts = Counter(pair.advisor for pair in mine)
    shipped = (pair for pair in shipped_pairs() if counts[pair.advisor] < MIN_PAIRS)
    return prediction_errors([*mine, *shipped])
