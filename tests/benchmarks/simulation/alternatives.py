"""What a night would have taken under other policies: none, all advice always, and one that knows the true effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tests.benchmarks.simulation.advisor import looks_gainful
from tests.benchmarks.simulation.candidate import Candidate, Target
from tests.benchmarks.simulation.in_force import InForce, everywhere
from tests.benchmarks.simulation.night import Night
from tests.benchmarks.simulation.world import World, breaks, factor, seconds


def untuned_seconds(night: Night) -> float:
    """Seconds of a night, its failed tries with it, with nothing ever in force."""
    return seconds_with(night, ())


def seconds_with(night: Night, in_force: Sequence[InForce]) -> float:
    """Seconds of a night with these changes in force, which a try after one that they broke runs without."""
    took, without = sum(seconds(night, in_force)), sum(seconds(night))
    failed = night.failing_tries * night.got_to * took
    return failed + (took * night.got_to + without if breaks(night, in_force) else took)


def all_advice(world: World, night: Night) -> tuple[InForce, ...]:
    """All that was advised by the night before, on whatever values come: of the first night nothing is known before."""
    if not night.number:
        return ()
    before = [
        (e, t)
        for n in world.nights[night.number - 1 : night.number]
        for e, t in zip(n.executions, seconds(n), strict=True)
    ]
    return everywhere(c for c in world.candidates if looks_gainful(c, before))


def ever_advised(world: World) -> tuple[Candidate, ...]:
    """What is advised some night: on joins for any values that come, properties for all that they are meant for."""
    kinds = {(e.query.fingerprint, e.values.kind, e.scale): e for night in world.nights for e in night.executions}
    alone = [[(execution, execution.query.seconds)] for execution in kinds.values()]
    together = [[(e, night.seconds(e)) for e in night.executions] for night in world.nights]
    return tuple(
        c for c in world.candidates if any(looks_gainful(c, took) for took in (alone if c.is_on_joins else together))
    )


def best(advised: Sequence[Candidate], night: Night) -> tuple[InForce, ...]:
    """Of what is ever advised, whatever is truly faster this night: for each values by themselves, properties together."""
    if not night.number:
        return ()
    on_joins = [c for c in advised if c.is_on_joins]
    some = map(everywhere, _subsets([c for c in advised if not c.is_on_joins]))
    sets = ((*_where_they_gain(on_joins, night, properties), *properties) for properties in some)
    return min(sets, key=lambda chosen: sum(seconds(night, chosen)))


def gain_share(night: Night, one: InForce, in_force: Sequence[InForce]) -> float:
    """The share of the seconds of what it acts on that a change saves among others, this night; less than 0 where it loses."""
    others = [other for other in in_force if other.candidate is not one.candidate]
    reached = [one.acts_on(execution) for execution in night.executions]
    before = sum(t for t, is_ in zip(seconds(night, others), reached, strict=True) if is_)
    after = sum(t for t, is_ in zip(seconds(night, [*others, one]), reached, strict=True) if is_)
    return 1 - after / before if before else 0.0


def _where_they_gain(on_joins: Sequence[Candidate], night: Night, properties: Sequence[InForce]) -> Iterator[InForce]:
    """Each on the values with which it is in the fastest choice beside these properties."""
    gains: dict[Target, set[str]] = {candidate.target: set() for candidate in on_joins}
    for execution in night.executions:
        name, rows = execution.query.fingerprint, night.scale * execution.values.rows
        able = [c for c in on_joins if name in c.factors and c.fails_from > rows]
        fastest = min(_subsets(able), key=lambda some: factor(execution, (*everywhere(some), *properties)))
        for candidate in fastest:
            gains[candidate.target].add(execution.values.class_beside())
    return (InForce(candidate, frozenset(gains[candidate.target])) for candidate in on_joins)


def _subsets(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    for size in range(len(candidates) + 1):
        yield from combinations(candidates, size)
