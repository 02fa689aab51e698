"""What pairs of runs say: what failed, what differed, what was slower beyond noise, and how much of the gain was had."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from tests.benchmarks.certificate.bound import upper_bound
from tests.benchmarks.certificate.pair import Executed, Pair

# Slower by more than this share, and by more seconds than a query's planning varies by.
SLOWER, SLOWER_SECONDS = 0.05, 0.3
# Of executions, and one at least: four runs that all take longer than four others are chance once in 70, most of these by less
# than the above. Of 359 one was so.
CHANCE = 0.01


# Seed, job, changes of its data so far, query, values.
_Class = tuple[int, str, int, str, str]


@dataclass(frozen=True, slots=True)
class Compared:
    """One query of one night: every run of it, steered and not."""

    pair: Pair
    steered: tuple[Executed, ...]
    twin: tuple[Executed, ...]

    @property
    def seconds(self) -> float:
        return median(one.seconds for one in self.steered)

    @property
    def twin_seconds(self) -> float:
        return median(one.seconds for one in self.twin)

    @property
    def literal_class(self) -> _Class:
        """What one plan is the best of: the job, its data, the query, its values."""
        return self.pair.seed, self.pair.trap, self.pair.data, self.steered[0].query, self.steered[0].values

    @property
    def is_reached(self) -> bool:
        """Whether a change acted on it."""
        return bool(self.steered[0].changes)

    @property
    def is_slower(self) -> bool:
        """In every run slower than in every run of the twin by the clock or by processors, and by the other not faster."""
        clock = [one.seconds for one in self.steered], [one.seconds for one in self.twin]
        processors = [one.cpu_seconds for one in self.steered], [one.cpu_seconds for one in self.twin]
        return any(
            _is_beyond(*a) and median(b[0]) >= median(b[1]) for a, b in ((clock, processors), (processors, clock))
        )

    @property
    def is_faster(self) -> bool:
        """The same the other way round: chance makes as many of these as of the slower ones."""
        return replace(self, steered=self.twin, twin=self.steered).is_slower

    @property
    def at_first(self) -> Compared:
        """As its first pair of runs has it, before anything was asked again."""
        return replace(self, steered=self.steered[:1], twin=self.twin[:1])

    @property
    def differs(self) -> bool:
        return len({(one.rows, one.digest) for one in (*self.steered, *self.twin)}) > 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """Counts over pairs; `executions` are queries that changes acted on, `beside` those of the same runs that none did.

    Of `beside` one pair of runs has to tell; `slower_beside` is what that takes for slower. `faster` and `faster_beside` count
    those that are faster by the same measure. `slower_at_first` and `faster_at_first` count those of `executions` that are so in
    their first pair: what is slower there is asked again, what is faster is not, so these alone compare. `failed_once` did not
    come again. Seconds of commands are those of first pairs of which both runs succeeded.
    The oracle knows, for each class of values and data, the plan whose runs took least in the median, the twin's among them.
    `known_*` leave out the first night of each class, in which nothing can be known.
    """

    pairs: int
    steered_runs: int
    executions: int
    slower_at_first: int
    faster_at_first: int
    slower: tuple[Compared, ...]
    faster: int
    beside: int
    slower_beside: tuple[Compared, ...]
    faster_beside: int
    failed: tuple[str, ...]
    failed_once: tuple[str, ...]
    differing: tuple[Compared, ...]
    twin_seconds: float
    steered_seconds: float
    oracle_seconds: float
    known_share_of_oracle: float
    twin_command_seconds: float
    steered_command_seconds: float

    @property
    def slower_at_most(self) -> float:
        return upper_bound(len(self.slower), self.executions)

    @property
    def failed_at_most(self) -> float:
        return upper_bound(len(self.failed), self.steered_runs)

    @property
    def share_of_oracle(self) -> float:
        return _share(self.twin_seconds, self.steered_seconds, self.oracle_seconds)


def certify(pairs: Sequence[Pair]) -> Certificate:
    """Of runs that both succeeded times and results; of the others whether only the steered one failed."""
    executed = [one for pair in pairs for one in compared(pair)]
    best = _oracle(executed)
    seen: set[_Class] = set()
    known = []
    for one in executed:
        known += [one] if one.literal_class in seen else []
        seen.add(one.literal_class)
    reached = [one for one in executed if one.is_reached]
    beside = [one for one in executed if one.pair.steered[0].changes and not one.is_reached]
    first = [(pair.steered[0], pair.twin[0]) for pair in pairs]
    whole = [(steered, twin) for steered, twin in first if steered.succeeded and twin.succeeded]
    return Certificate(
        pairs=len(pairs),
        steered_runs=sum(bool(pair.steered[0].changes) for pair in pairs),
        executions=len(reached),
        slower_at_first=sum(one.at_first.is_slower for one in reached),
        faster_at_first=sum(one.at_first.is_faster for one in reached),
        slower=tuple(one for one in reached if one.is_slower),
        faster=sum(one.is_faster for one in reached),
        beside=len(beside),
        slower_beside=tuple(one for one in beside if one.is_slower),
        faster_beside=sum(one.is_faster for one in beside),
        failed=tuple(_failure(pair) for pair in pairs if _only_steered_failed(pair)),
        failed_once=tuple(_failure(pair) for pair in pairs if _failed_once(pair)),
        differing=tuple(one for one in executed if one.differs),
        twin_seconds=sum(one.twin_seconds for one in executed),
        steered_seconds=sum(one.seconds for one in executed),
        oracle_seconds=sum(best[one.literal_class] for one in executed),
        known_share_of_oracle=_share(
            sum(one.twin_seconds for one in known),
            sum(one.seconds for one in known),
            sum(best[one.literal_class] for one in known),
        ),
        twin_command_seconds=sum(twin.seconds for _, twin in whole),
        steered_command_seconds=sum(steered.seconds for steered, _ in whole),
    )


def breaches(found: Certificate, *, whole: bool) -> Iterator[str]:
    """What keeps the promise from being certified, in words. A `whole` run, of all nights of all jobs, has to show something."""
    if found.failed:
        yield f"runs that failed where the twin did not: {len(found.failed)}"
    if found.differing:
        yield f"queries with other results: {len(found.differing)}"
    if len(found.slower) > (most := max(1, int(CHANCE * found.executions))):
        yield f"queries slower in all pairs: {len(found.slower)} of {found.executions}, where chance makes {most} at most"
    if whole and not found.executions:
        yield "no change acted on any query: nothing is known"


def compared(pair: Pair) -> list[Compared]:
    """Query by query, where runs of both succeeded."""
    steered = [ran.executed for ran in pair.steered if ran.succeeded]
    twin = [ran.executed for ran in pair.twin if ran.succeeded]
    if not steered or not twin:
        return []
    both = zip(zip(*steered, strict=True), zip(*twin, strict=True), strict=True)
    return [Compared(pair, mine, its) for mine, its in both]


def is_in_doubt(pair: Pair) -> bool:
    """Whether, by the runs so far, something steered failed or is slower."""
    return _only_steered_failed(pair) or any(one.is_reached and one.is_slower for one in compared(pair))


def _oracle(executed: Iterable[Compared]) -> Mapping[_Class, float]:
    by_plan: dict[_Class, dict[tuple[str, ...], list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in executed:
        plans = by_plan[one.literal_class]
        for run in (*one.steered, *one.twin):
            plans[run.changes].append(run.seconds)
    return {of: min(map(median, plans.values())) for of, plans in by_plan.items()}


def _is_beyond(these: Sequence[float], those: Sequence[float]) -> bool:
    return min(these) > max(those) and median(these) > (1 + SLOWER) * median(those) + SLOWER_SECONDS


def _share(twin: float, steered: float, oracle: float) -> float:
    return (twin - steered) / (twin - oracle) if twin > oracle else 1.0


def _failure(pair: Pair) -> str:
    why = next(ran.failure for ran in pair.steered if not ran.succeeded)
    return f"{pair.trap}, night {pair.night}, seed {pair.seed}: {why}"


def _failed_once(pair: Pair) -> bool:
    """In some run, and not in another one of the same night with what was known then."""
    return len({ran.succeeded for ran in pair.steered}) > 1


def _only_steered_failed(pair: Pair) -> bool:
    """In every run, where no run of the twin did: what fails once more with the same changes."""
    return all(not ran.succeeded for ran in pair.steered) and any(ran.succeeded for ran in pair.twin)
