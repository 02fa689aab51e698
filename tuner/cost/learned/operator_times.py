"""The learned model of operator times, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
import numpy as np

from tuner.cost.learned.residual import NO_RESIDUAL, Residual
from tuner.cost.learned.unit_cost_fit import Array, stage_nanoseconds
from tuner.cost.unit_costs import PRICE_ERROR, UnitCosts
from tuner.errors import TunerError
from tuner.model.query_work import QueryWork, StageWork

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Overheads:
    """From core seconds to seconds on the clock: what a query, a stage and a broadcast take beside their tasks.

    `idle` is how many times as long as evenly loaded cores the tasks take: they wait for each other at each stage's end.
    """

    query_ms: float = 200.0
    stage_ms: float = 30.0
    broadcast_ms: float = 20.0
    idle: float = 1.15


@dataclass(frozen=True, slots=True)
class Errors:
    """How far predictions of queries that were not learned from are off: factors either way.

    `low` and `high` hold eight of ten: the measured time over the predicted one, at the 10th and the 90th percentile.
    """

    queries: int
    median: float
    p90: float
    within_2: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class OperatorTimes:
    """Unit costs, what they leave unexplained, and the cross-validated errors of `core` and `wall` time.

    `errors` names what was validated: `prior`, `fitted` and `hybrid` for core time, `wall` for the clock's.
    """

    costs: UnitCosts
    overheads: Overheads = Overheads()
    residual: Residual = NO_RESIDUAL
    errors: Mapping[str, Errors] = field(default_factory=dict)
    queries: int = 0
    stages: int = 0
    trained_on: str = ""
    format: int = FORMAT

    @property
    def price_error(self) -> float:
        """The factor that 90 % of queries' core times are within, either way."""
        errors = self.errors.get("fitted")
        return errors.p90 if errors else PRICE_ERROR

    def stage_ms(self, stages: Sequence[StageWork]) -> Array:
        """Core milliseconds of each stage."""
        nanoseconds = stage_nanoseconds(stages, self.costs)
        return np.asarray(nanoseconds * np.exp(self.residual.log_factor(stages, nanoseconds)) / 1e6, dtype=float)

    def core_ms(self, work: QueryWork) -> float:
        """Core milliseconds of a query."""
        return float(self.stage_ms(work.stages).sum())

    def wall_ms(self, work: QueryWork, cores: int) -> float:
        """Milliseconds on the clock of a query that has so many cores to itself."""
        return float(wall_terms(work, cores, self.core_ms(work)) @ overhead_terms(self.overheads))


def wall_terms(work: QueryWork, cores: int, core_ms: float) -> Array:
    """What the clock's time is made of, in the order of `overhead_terms`."""
    return np.array([1.0, len(work.stages), len(work.broadcasts), core_ms / max(1, cores)])


def overhead_terms(overheads: Overheads) -> Array:
    return np.array([overheads.query_ms, overheads.stage_ms, overheads.broadcast_ms, overheads.idle])


@cache
def shipped_model() -> OperatorTimes:
    """The model that ships with the package: where learning starts, and all there is without a history."""
    return read_model((files("tuner.cost.learned") / "prior.json").read_bytes(), "the shipped model")


def load_model(path: Path) -> OperatorTimes:
    """A model from its file. TunerError where it cannot be read."""
    try:
        return read_model(path.read_bytes(), str(path))
    except OSError as error:
        raise TunerError(f"cannot read the model {path}: {error.strerror or error}") from error


def read_model(document: bytes, name: str) -> OperatorTimes:
    """A model from its JSON. TunerError where it is none, or one of another format."""
    try:
        model = msgspec.json.decode(document, type=OperatorTimes)
    except msgspec.DecodeError as error:
        raise TunerError(f"{name} is no model of operator times: {error}") from error
    if model.format != FORMAT:
        raise TunerError(f"{name} has format {model.format}, this version reads {FORMAT}: train it again")
    return model


def write_model(model: OperatorTimes) -> bytes:
    """The model as JSON."""
    return msgspec.json.encode(model)
