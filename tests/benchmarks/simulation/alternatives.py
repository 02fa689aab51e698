"""What a night would have taken under other policies: none, all advice always, and one that knows the true effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tests.benchmarks.simulation.advisor import looks_gainful
from tests.benchmarks.simulation.world import Candidate, Night, World, breaks
from tuner.model.action import ActionKind


def untuned_seconds(world: World, night: Night) -> float:
    """Seconds of a night, its failed try with it, with nothing ever in force."""
    return seconds_with(world, night, ())


def seconds_with(world: World, night: Night, in_force: Sequence[Candidate]) -> float:
    """Seconds of a night with these changes in force, which a retry runs without."""
    took = sum(world.seconds(night, in_force).values())
    if not night.fails and not breaks(night, in_force):
        return took
    return took * night.got_to + sum(world.seconds(night).values())


def all_advice(world: World, night: Night) -> list[Candidate]:
    """All that is ever advised, but for the first night, of which nothing is known before."""
    return [c for c in world.candidates if looks_gainful(c)] if night.number else []


def best(world: World, night: Night) -> list[Candidate]:
    """Of what is ever advised, whatever is truly faster this night; each change of one query by itself, properties together."""
    known = [c for c in all_advice(world, night) if c.fails_from > night.scale]
    on_queries = [c for c in known if c.action.kind is not ActionKind.SET_CONF and next(iter(c.factors.values())) < 1]
    sets = ([*on_queries, *some] for some in _subsets([c for c in known if c.action.kind is ActionKind.SET_CONF]))
    return min(sets, key=lambda chosen: sum(world.seconds(night, chosen).values()))


def gain_share(world: World, night: Night, candidate: Candidate, in_force: Sequence[Candidate]) -> float:
    """The share of its queries' seconds that a change saves among others, this night; less than 0 where it loses."""
    others = [c for c in in_force if c is not candidate]
    before, after = world.seconds(night, others), world.seconds(night, [*others, candidate])
    reached = [name for name in before if name in candidate.factors]
    lacked = sum(before[name] for name in reached)
    return 1 - sum(after[name] for name in reached) / lacked if lacked else 0.0


def _subsets(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    for size in range(len(candidates) + 1):
        yield from combinations(candidates, size)
