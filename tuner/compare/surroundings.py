"""What two runs had around their queries: settings, Spark's version, cores, and what the tuner had in force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tuner.compare.run_comparison import SettingChange
from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.run import Outcome, Run
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.held_out import held_out
from tuner.spark.knobs import KNOBS
from tuner.spark.settings import Settings
from tuner.spark.version import read_version

# Spark's own name space of what its planner and its SQL operators read.
_OF_SQL = "spark.sql."


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`changes_in` were in effect in the later run alone, `changes_out` in the earlier one alone, `changes_before` are all of the
    earlier one. `left_out` are the ids of what the later one was to be without, to compare."""

    settings: tuple[SettingChange, ...] = ()
    version_before: str = ""
    version: str = ""
    cores_before: int = 0
    cores: int = 0
    changes_in: tuple[Change, ...] = ()
    changes_out: tuple[Change, ...] = ()
    changes_before: tuple[Change, ...] = ()
    left_out: frozenset[str] = frozenset()

    @property
    def plans_by_other_rules(self) -> bool:
        """Whether something that the tuner did not set may have made plans other ones."""
        return self.has_other_version or bool(self.planning)

    @property
    def has_other_version(self) -> bool:
        return bool(self.version_before and self.version) and self.version_before != self.version

    @property
    def planning(self) -> tuple[SettingChange, ...]:
        """What planners read and the tuner did not set."""
        return tuple(s for s in self.settings if s.property.startswith(_OF_SQL) and not s.by_tuner)

    def changes_of(self, before: str, after: str, *, other_plan: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the changes for a query, by its fingerprint in each run, that the later run alone had, and the earlier
        one alone. A property reaches queries that it was not meant for: where it has another plan, those count that are for
        others."""

        def reaching(changes: Iterable[Change]) -> tuple[str, ...]:
            return tuple(
                change.id
                for change in changes
                if not {before, after}.isdisjoint(change.queries) or (other_plan and not change.is_on_joins)
            )

        # What is on joins is for one statement: an edited one is without it, though it is decided on as before.
        lost = (c for c in self.changes_before if c in self.changes_out or (before != after and c.query == before))
        return reaching(self.changes_in), reaching(lost)


def surroundings(before: Run, after: Run) -> Surroundings:
    old, new = ({d.id: d.change for d in changes_in_effect(run)} for run in (before, after))
    changes_in = tuple(change for id_, change in new.items() if id_ not in old)
    changes_out = tuple(change for id_, change in old.items() if id_ not in new)
    if before.outcome is None or after.outcome is None:
        return Surroundings(changes_in=changes_in, changes_out=changes_out, changes_before=tuple(old.values()))
    by_tuner = set(_properties((*changes_in, *changes_out)))
    by_tuner |= {one.property for run in (before, after) for one in run.decision.sizes}
    return Surroundings(
        _settings(before.outcome, after.outcome, by_tuner),
        before.outcome.spark_version,
        after.outcome.spark_version,
        before.outcome.cluster.cores,
        after.outcome.cluster.cores,
        changes_in,
        changes_out,
        tuple(old.values()),
        frozenset(decided.id for decided in held_out(after)),
    )


def _properties(changes: Iterable[Change]) -> Iterable[str]:
    return (action.target for change in changes for action in change.actions if action.kind is ActionKind.SET_CONF)


def _settings(before: Outcome, after: Outcome, by_tuner: set[str]) -> tuple[SettingChange, ...]:
    """What is set otherwise, and not only spelled otherwise. That a default is another one is for the version to tell."""
    old, new = (Settings(outcome.conf, read_version(outcome.spark_version)) for outcome in (before, after))
    return tuple(
        SettingChange(name, before.conf.get(name), after.conf.get(name), name in by_tuner)
        for name, knob in KNOBS.items()
        if before.conf.get(name) != after.conf.get(name) and old[knob] != new[knob]
    )
