"""A benchmark as a bench can make and run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class Seeded(Enum):
    """What another seed changes."""

    NOTHING = "nothing"
    LITERALS = "literals"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`make` writes tables of a scale factor and a seed as folders of Parquet files; `queries` gives texts of a seed by name, of
    those named: literals may be drawn from the tables.

    `names` are those of all queries, known before any table is there. `why_no_seed` says why nothing is seeded.
    `scale_factor` is the usual one; `conf` is what its texts need of a session to be understood.
    """

    title: str
    names: Callable[[], Sequence[str]]
    make: Callable[[Path, float, int], None]
    queries: Callable[[Path, int, Sequence[str]], Mapping[str, str]]
    seeded: Seeded
    why_no_seed: str = ""
    scale_factor: float = 1.0
    conf: Mapping[str, str] = field(default_factory=dict)
