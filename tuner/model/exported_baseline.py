"""What a cohort has proven, as it leaves the store: for git, and for other stores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.decision import Standing
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling


@dataclass(frozen=True, slots=True)
class ProvenGain:
    """Seconds that a run takes less with it. Nine of ten lie between `low` and `high`, by `runs` that had it; None where runs
    no longer tell."""

    seconds: float
    low: float | None = None
    high: float | None = None
    runs: int | None = None


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a person last said of it."""

    ruling: Ruling
    by: str
    at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProvenTrial:
    """Changes that were tried together; the others need the first. `names` are what their queries are called, by fingerprint,
    `input_bytes` what these read when they last had them, or else when they last ran, to two digits (0: not known)."""

    changes: tuple[Change, ...]
    standing: Standing
    names: Mapping[str, str]
    gain: ProvenGain | None = None
    ruled: Ruled | None = None
    input_bytes: int = 0

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(change.id for change in self.changes)


@dataclass(frozen=True, slots=True)
class Refused:
    """A change that a person rejected or rolled back; `words` say what it does, or are its id where no run tells."""

    change_id: str
    words: str
    ruled: Ruled


@dataclass(frozen=True, slots=True)
class SaidThere:
    """What people want of a cohort, whatever it has proven. `refused` are oldest first."""

    mode: ModeChange | None = None
    objective: ObjectiveChange | None = None
    refused: tuple[Refused, ...] = ()

    @property
    def last_at(self) -> datetime | None:
        """When anything of it was said last; None where nothing was."""
        said = (self.mode, self.objective, *(one.ruled for one in self.refused))
        return max((one.at for one in said if one is not None), default=None)


@dataclass(frozen=True, slots=True)
class ExportedBaseline:
    """`as_of` is the day (UTC) on which the cohort's latest measured run ended, whose Spark and cluster these are; where none
    was measured, on which anything was last said of it."""

    cohort: str
    as_of: date
    spark_version: str
    cluster: Cluster
    trials: tuple[ProvenTrial, ...]
    said: SaidThere = SaidThere()
