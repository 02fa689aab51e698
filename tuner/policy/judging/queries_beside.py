"""Which of the measured runs of a query were beside another one of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tuner.model.run import Run
from tuner.policy.runs_beside import RunsBeside


@dataclass(slots=True)
class QueriesBeside:
    """Those so far; runs are added oldest first."""

    _runs: RunsBeside = field(default_factory=RunsBeside)
    # Instances of a mapped task may each ask others, of which none is beside another night after night.
    _by_query: dict[str, RunsBeside] = field(default_factory=dict)

    def add(self, run: Run) -> set[str]:
        """The queries (fingerprints) of the next run, if it began before one of those so far had ended; of a mapped task those
        of which one of these had not ended."""
        asked = run.fingerprints
        if not run.instance:
            return asked if self._runs.add(run) else set()
        return {query for query in asked if self._by_query.setdefault(query, RunsBeside()).add(run)}
