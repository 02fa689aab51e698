"""What runs of one query with one class of values have told of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from tuner.policy.evidence.log_filter import LogFilter
from tuner.policy.evidence.metric import CLOCK, METRICS
from tuner.policy.evidence.spread import Spread
from tuner.policy.measure import Measured

# Inputs that differ by less are the same; the difference is left to noise.
SAME_INPUT = 0.05
# Of tasks that compute less than this share of their time nothing tells how much they waited.
LEAST_SHARE = 0.02


class Runs(NamedTuple):
    """So many runs of a query with the same changes: the sum of the logs of their `cpu_share`, and by the clock the sums of how
    `unsure` the speed of their machines was, and of the `noise` of each besides (variances)."""

    number: int = 0
    cpu_share: float = 0.0
    unsure: float = 0.0
    noise: float = 0.0


@dataclass(slots=True)
class KnownQuery:
    """`input_bytes` are those of its first run that read anything: of each file once; as often as it was scanned where
    `scans` says so, since a version before stored no other. `cores` are those that this run asked for (0: not known).
    `cpu_share` is how much of its tasks' time was computing in its latest run, `stages` core seconds that stages of the same
    work usually take. `filters` and `spreads` are by metric; so is by how much its latest run was off (`errors`, logs), and
    what its changes were known to do before that (`effects_before`, logs by id). `seen` are the ids of all changes that were
    ever in force. `together` are its runs by the changes that were in force in them. `speeds` are how long the machine took
    against usual in the latest run (logs by metric); how `unsure` that was, which it shares with the other queries, and its own
    `noise` are variances, by the clock. `fleeting`: its values are others in each run, which move it, and all that is measured
    of it alike.
    """

    input_bytes: int
    cores: int
    scans: bool = False
    cpu_share: float = 1.0
    filters: dict[str, LogFilter] = field(default_factory=lambda: {m.name: LogFilter() for m in METRICS})
    spreads: dict[str, Spread] = field(default_factory=dict)
    together: dict[frozenset[str], Runs] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    stages: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    effects_before: dict[str, dict[str, float]] = field(default_factory=dict)
    speeds: dict[str, float] = field(default_factory=dict)
    unsure: float = 0.0
    noise: float = 0.0
    fleeting: bool = False

    @classmethod
    def of(cls, query: Measured) -> Self:
        return cls(query.data_bytes, query.cores, scans=not query.source_bytes)

    @property
    def speed(self) -> float:
        """By the clock, as a factor."""
        return math.exp(self.speeds.get(CLOCK.name, 0.0))

    def tell_size(self, query: Measured) -> None:
        """Counts each file once, from the first run on whose log tells that."""
        if self.scans and query.source_bytes and query.input_bytes:
            self.input_bytes = round(self.input_bytes * query.source_bytes / query.input_bytes)
            self.scans = False

    def size_of(self, query: Measured) -> float:
        """The log of its input over that of its first run that read anything; 0 for one of the same size."""
        now = query.input_bytes if self.scans else query.data_bytes
        size = math.log(now / self.input_bytes) if now and self.input_bytes else 0.0
        return size if abs(size) > SAME_INPUT else 0.0

    def add_run(self, in_force: frozenset[str], cpu_share: float, *, is_beside: bool) -> None:
        """Runs side by side had one machine, and its one hour: they count as one."""
        number, logs, unsure, noise = self.together.get(in_force, Runs())
        if not (number and is_beside):
            logs += math.log(max(LEAST_SHARE, cpu_share))
            self.together[in_force] = Runs(number + 1, logs, unsure + self.unsure, noise + self.noise)
        self.seen |= in_force
        self.cpu_share = cpu_share

    def runs_with(self, changes: frozenset[str]) -> int:
        return sum(runs.number for ids, runs in self.together.items() if not ids.isdisjoint(changes))

    def runs_without(self, changes: frozenset[str]) -> int:
        return sum(runs.number for ids, runs in self.together.items() if ids.isdisjoint(changes))

    def rests_on_one_run(self, changes: frozenset[str]) -> bool:
        """Whether there is but one run with these changes, or one without."""
        return min(self.runs_with(changes), self.runs_without(changes)) <= 1

    def ever_without(self, changes: frozenset[str]) -> bool:
        return any(ids.isdisjoint(changes) for ids in self.together)

    @property
    def shared(self) -> float:
        """The share of what was unsure in the latest run that it shares with the other queries."""
        return _share(self.unsure, self.noise)

    def shared_effect(self, changes: frozenset[str]) -> float:
        """The share of what is unsure of these changes' effect that it shares with the other queries: what the machines of the
        runs with them may have been off by, and those of the runs without, which may be one."""
        unsure, noise = 0.0, 0.0
        for is_without in (False, True):
            each = [runs for ids, runs in self.together.items() if ids.isdisjoint(changes) is is_without]
            count = max(1, sum(runs.number for runs in each))
            unsure += sum(runs.unsure for runs in each) / count**2
            noise += sum(runs.noise for runs in each) / count**2
        # Beyond both, what may have moved since is its own.
        return _share(unsure, max(noise, self.filters[CLOCK.name].effect(changes).variance - unsure))

    def waits(self, changes: frozenset[str], *, gain: bool) -> float:
        """How much longer its tasks waited (log of `cpu_share`) without these changes than with them, where that makes a gain;
        else with them than without: over the runs that waited, of which each that says the same leaves less to chance."""
        runs, logs = [0, 0], [0.0, 0.0]
        for ids, each in self.together.items():
            without = ids.isdisjoint(changes)
            runs[without] += each.number
            logs[without] += each.cpu_share
        if not all(runs):
            return 0.0
        longer_without = logs[False] / runs[False] - logs[True] / runs[True]
        return max(0.0, longer_without if gain else -longer_without) / runs[gain]


def _share(unsure: float, noise: float) -> float:
    return unsure / (unsure + noise) if unsure else 0.0
