"""What comes of each trial of a baseline where it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tuner.model.decision import DecidedChange
from tuner.model.exported_baseline import ProvenTrial
from tuner.model.imported_change import ImportedChange
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict


class Fate(StrEnum):
    """decided: as the next run will have it. waits_for_run: no run was measured yet. waits_for_query: none of the latest has
    its queries with these joins. The others are left out: what people ruled, what runs here have shown, what was imported.
    """

    DECIDED = "decided"
    WAITS_FOR_RUN = "waits_for_run"
    WAITS_FOR_QUERY = "waits_for_query"
    REFUSED_HERE = "refused_here"
    PINNED_HERE = "pinned_here"
    OTHER_PINNED_HERE = "other_pinned_here"
    PROVEN_HERE = "proven_here"
    OTHER_PROVEN_HERE = "other_proven_here"
    OUT_HERE = "out_here"
    IMPORTED_BEFORE = "imported_before"
    TRIED_HERE = "tried_here"


TAKEN = frozenset({Fate.DECIDED, Fate.WAITS_FOR_RUN, Fate.WAITS_FOR_QUERY})


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """`ruled` is what it is left out for, where that is a person's word, `here` the change of this cohort that it is left out
    for, or that it will be in the next run."""

    trial: ProvenTrial
    fate: Fate
    here: DecidedChange | None = None
    ruled: Verdict | None = None

    @property
    def is_taken(self) -> bool:
        return self.fate in TAKEN


class LeftOut(StrEnum):
    """Why a word of people there is not said here. proven_there: the same file has proven a change of the property, and this
    would keep that out. auto: somebody says that where the job runs. as_strict: runs here are in a mode that does no more.
    in_force_here: it would take out what runs here have, or people here asked for."""

    AUTO = "auto"
    AS_STRICT = "as_strict"
    IN_FORCE_HERE = "in_force_here"
    PROVEN_HERE = "proven_here"
    PROVEN_THERE = "proven_there"


@dataclass(frozen=True, slots=True)
class PlannedWords:
    """What people said there that will be said here, in the importer's name. `left_out` are the changes (ids) that were refused
    there and are not here, `mode_left_out` is why the mode is not given; of what is in none of these people here have spoken."""

    mode: ModeChange | None = None
    objective: ObjectiveChange | None = None
    refusals: tuple[Verdict, ...] = ()
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    mode_left_out: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import into `cohort` will store, and what comes of each trial; `differences` say in words what the cohort's runs
    have that the baseline's had not."""

    cohort: str
    trials: tuple[PlannedTrial, ...]
    imported: tuple[ImportedChange, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    differences: tuple[str, ...] = ()
    said: PlannedWords = PlannedWords()

    @property
    def stores_anything(self) -> bool:
        return bool(self.imported or self.said.mode or self.said.objective or self.said.refusals)
