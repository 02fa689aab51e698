"""One cohort, try by try: seconds beside the same night untuned and an oracle's, and each change that turned.

python -m tests.benchmarks.simulation.trace NUMBER [--runs 30] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping

from tests.benchmarks.simulation.alternatives import best, ever_advised, gain_share, seconds_with
from tests.benchmarks.simulation.draw import draw
from tests.benchmarks.simulation.memory import InMemory
from tests.benchmarks.simulation.play import Try, play
from tests.benchmarks.simulation.regret import regret_of
from tests.benchmarks.simulation.world import World, seconds
from tuner.words.reasons import why_words


def trace(world: World) -> Iterator[str]:
    """Lines, oldest try first; a change's true effect on the night stands beside what became of it."""
    advised = ever_advised(world)
    yield f"{world.cohort}: {world.scenario.name}, {len(world.queries)} queries, {len(world.candidates)} candidates"
    for candidate in world.candidates:
        kinds = {kind: round(factor, 2) for (_, kind), factor in candidate.by_kind.items()}
        yield (
            f"  {candidate.action.id}: {_factors(candidate.factors)} {kinds or ''} "
            f"foretold off {candidate.foretold_off:.2f}, fails from {candidate.fails_from:.1f}"
            + (", advised" if candidate in advised else "")
        )
    stood: dict[str, str] = {}
    for one in play(world, InMemory()):
        yield _night(one, seconds_with(one.night, best(advised, one.night)))
        for why, lost in regret_of(one, advised).items():
            if lost > 0.01 * sum(one.seconds):
                yield f"      {lost:.1f} s {why}"
        acting = {in_force.action_id: in_force for in_force in one.in_force}
        for decided in one.decision.changes:
            said = f"{decided.standing}: {why_words(decided)}"
            if stood.get(decided.id) != said:
                share = (
                    f" (truly {gain_share(one.night, acting[decided.id], one.in_force):+.0%})"
                    if decided.id in acting
                    else ""
                )
                yield f"      {decided.id}{share} {said}"
            stood[decided.id] = said


def _night(one: Try, oracle: float) -> str:
    night = one.night
    ended = "" if not one.failed else ", made to fail" if one.by_tuner else ", failed by itself"
    return (
        f"night {night.number}: {sum(one.seconds):.1f} s, untuned {sum(seconds(night)):.1f}, oracle {oracle:.1f}; "
        f"input x{night.scale:.2f}, machine x{night.machine:.2f}, {night.cores} cores{ended}"
        + (", log lost" if night.loses_log else "")
    )


def _factors(factors: Mapping[str, float]) -> str:
    return ", ".join(f"{name} x{factor:.2f}" for name, factor in factors.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for line in trace(draw(options.seed, options.number, options.runs)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
