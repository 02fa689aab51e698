"""A contender's run in its turn, on record or not."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.bench.bench_run import BenchRun
from tuner.bench.contenders.contender import Contender
from tuner.bench.records import Records


@dataclass(frozen=True, slots=True)
class Turn:
    """Run `number` of a contender, and where it is recorded; `job` is "" where there is one alone."""

    contender: Contender
    number: int
    records: Records
    job: str = ""

    @property
    def who(self) -> str:
        return f"{self.contender.name}, {self.job}" if self.job else self.contender.name

    @property
    def recorded(self) -> BenchRun | None:
        """Also one whose application died, and which is to be repeated."""
        return self.records.get(self.contender.name, self.number)

    @property
    def final(self) -> BenchRun | None:
        """What is on record for good; None where the run is yet to come, or to be repeated."""
        found = self.recorded
        return found if found is None or found.is_final else None
