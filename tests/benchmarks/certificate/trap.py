"""A recurring job whose next night is not like the last one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Night:
    """One night: the values of the job's queries, what becomes of its data before it runs, and the driver's heap.

    `values` fill each query once for each mapping: a loop of a job over several. `changes_data` is given the folder of the tables
    and a seed, and may run again. `misses_input`: the first try finds none.
    """

    values: Sequence[Mapping[str, str]] = ({},)
    changes_data: Callable[[Path, int], None] | None = None
    driver_memory: str = "2g"
    misses_input: bool = False


@dataclass(frozen=True, slots=True)
class Trap:
    """A job: its tables, made once in a folder with a seed; its queries, by the name their owner gives them; its nights."""

    name: str
    makes_data: Callable[[Path, int], None]
    queries: Mapping[str, str]
    nights: Sequence[Night]
    conf: Mapping[str, str]

    @property
    def runs(self) -> int:
        """How often it runs, with tries that find no input."""
        return len(self.nights) + sum(night.misses_input for night in self.nights)
