"""Properties that a job's program sets by itself, whatever it is submitted with."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.action import Action, ActionKind
from tuner.model.decision import DecidedChange
from tuner.model.run import Run


def beaten_properties(decided: DecidedChange, run: Run) -> list[Action]:
    """The properties of a change in force that its run had with another value. None where its log tells no properties."""
    conf = run.outcome.conf if run.outcome else {}
    return [action for action in _properties(decided) if conf.get(action.target, action.value) != action.value]


def set_by_program(runs: Sequence[Run]) -> dict[str, str]:
    """What beat the tuner's own the last time that it was set, and is set still; with the values of the latest run. `runs` are
    oldest first.

    A log tells what a run had, not who set it. spark-defaults.conf does not beat what is submitted; SparkConf,
    SparkSession.builder.config and spark.conf.set do.
    """
    told = [run for run in runs if run.outcome and run.outcome.conf]
    beaten: set[str] = set()
    for run in told:
        for decided in run.decision.in_force:
            beaten.difference_update(action.target for action in _properties(decided))
            beaten.update(action.target for action in beaten_properties(decided, run))
    latest = told[-1].outcome.conf if told and told[-1].outcome else {}
    return {name: latest[name] for name in sorted(beaten) if name in latest}


def _properties(decided: DecidedChange) -> list[Action]:
    return [action for action in decided.change.carried_out if action.kind is ActionKind.SET_CONF]
