"""What pairs of runs say: what failed, what differed, what was slower beyond noise, and how much of the gain was had."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.benchmarks.certificate.bound import upper_bound
from tests.benchmarks.certificate.pair import Executed, Pair

# Slower by more than this share, and more seconds than start-up varies by, than the slowest run of the twin.
SLOWER, SLOWER_SECONDS = 0.05, 0.3


@dataclass(frozen=True, slots=True)
class Slower:
    """A query of a steered run that took longer than its twin ever did."""

    trap: str
    night: int
    query: str
    values: str
    seconds: float
    twin_seconds: float


@dataclass(frozen=True, slots=True)
class Certificate:
    """Counts over pairs; `executions` are queries of steered runs that had changes in force."""

    pairs: int
    steered_runs: int
    executions: int
    slower: tuple[Slower, ...]
    failed: tuple[str, ...]
    differing: tuple[str, ...]
    twin_seconds: float
    steered_seconds: float
    oracle_seconds: float

    @property
    def slower_at_most(self) -> float:
        return upper_bound(len(self.slower), self.executions)

    @property
    def failed_at_most(self) -> float:
        return upper_bound(len(self.failed), self.steered_runs)

    @property
    def share_of_oracle(self) -> float:
        possible = self.twin_seconds - self.oracle_seconds
        return (self.twin_seconds - self.steered_seconds) / possible if possible > 0 else 1.0


def certify(pairs: Sequence[Pair]) -> Certificate:
    """Of runs that both succeeded times and results; of the others whether only the steered one failed."""
    both = [p for p in pairs if p.steered.succeeded and p.twin.succeeded]
    steered = [p for p in pairs if p.steered.in_force]
    best: dict[tuple[str, int, str, str], float] = {}
    for pair in both:
        for one in (*pair.steered.executed, *pair.twin.executed, *(e for r in pair.again for e in r.executed)):
            key = (pair.trap, pair.data, one.query, one.values)
            best[key] = min(best.get(key, one.seconds), one.seconds)
    executed = [(pair, one, beside) for pair in both for one, beside in _side_by_side(pair)]
    return Certificate(
        pairs=len(pairs),
        steered_runs=len(steered),
        executions=sum(len(p.steered.executed) for p in steered),
        slower=tuple(
            Slower(p.trap, p.night, one.query, one.values, one.seconds, max(b.seconds for b in beside))
            for p, one, beside in executed
            if p.steered.in_force and is_slower(one, beside)
        ),
        failed=tuple(f"{p.trap}, night {p.night}: {p.steered.failure}" for p in pairs if _only_steered_failed(p)),
        differing=tuple(
            f"{p.trap}, night {p.night}: {one.query}"
            for p, one, beside in executed
            if any((one.rows, one.digest) != (b.rows, b.digest) for b in beside)
        ),
        twin_seconds=sum(beside[0].seconds for _, _, beside in executed),
        steered_seconds=sum(one.seconds for _, one, _ in executed),
        oracle_seconds=sum(best[p.trap, p.data, one.query, one.values] for p, one, _ in executed),
    )


def is_slower(one: Executed, beside: Iterable[Executed]) -> bool:
    """Than all runs of the twin, by the clock and by processors: a neighbour's load moves the clock alone."""
    twins = list(beside)
    by_clock = one.seconds > (1 + SLOWER) * max(t.seconds for t in twins) + SLOWER_SECONDS
    known = [t.cpu_seconds for t in twins if t.cpu_seconds is not None]
    if one.cpu_seconds is None or not known:
        return by_clock
    return by_clock and one.cpu_seconds > (1 + SLOWER) * max(known)


def is_in_doubt(pair: Pair) -> bool:
    """Whether a query seems slower, so that the twin is to run again."""
    both = pair.steered.succeeded and pair.twin.succeeded
    return both and any(is_slower(one, beside) for one, beside in _side_by_side(pair))


def _side_by_side(pair: Pair) -> list[tuple[Executed, list[Executed]]]:
    twins = [pair.twin, *(ran for ran in pair.again if ran.succeeded)]
    return [(one, [t.executed[n] for t in twins]) for n, one in enumerate(pair.steered.executed)]


def _only_steered_failed(pair: Pair) -> bool:
    return not pair.steered.succeeded and pair.twin.succeeded
