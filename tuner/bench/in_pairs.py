"""What a bench gained in the end: of rounds that a contender and the defaults both ran in, round by round."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import geometric_mean, median

from tuner.bench.bench_result import BEST, BenchResult, ContenderResult, QueryResult
from tuner.bench.default_noise import default_spread
from tuner.bench.final_places import final_places
from tuner.bench.how_soon import how_soon

# Seconds by the number of their round, of what ended there.
Rounds = Mapping[int, float]


def in_pairs(result: BenchResult) -> BenchResult:
    """Its speed-ups from the seconds of the same rounds, whichever version wrote it."""
    if not result.contenders:
        return result
    noise = default_spread(result)
    return replace(result, contenders=tuple(_contender(result, one, noise) for one in result.contenders))


def paired_speed_up(default: Rounds, mine: Rounds) -> float | None:
    """The median of the ratios, default over mine, of rounds that both ran in: a slow hour is in both or in none, and medians
    would take it from one round here and from another one there. Where they share no round, the ratio of the medians; None
    where there is nothing to compare."""
    if shared := [math.log(default[number] / mine[number]) for number in default.keys() & mine.keys()]:
        # Of two ratios the geometric mean: twice as fast and half as fast are no gain.
        return math.exp(median(shared))
    return median(default.values()) / median(mine.values()) if default and mine else None


def _contender(result: BenchResult, contender: ContenderResult, noise: float | None) -> ContenderResult:
    default = result.contenders[0]
    usual = {query.name: _by_round(result, default, [query]) for query in default.queries}
    queries = tuple(
        replace(query, speed_up=_speed_up(query, usual[query.name], _by_round(result, contender, [query])))
        for query in contender.queries
    )
    compared = {query.name for query in queries if query.compared}
    ratios = sorted((query.speed_up for query in queries if query.compared), reverse=True)
    total = paired_speed_up(
        _by_round(result, default, [query for query in default.queries if query.name in compared]),
        _by_round(result, contender, [query for query in queries if query.compared]),
    )
    by_run = [(run.number, run.speed_up) for run in contender.runs]
    return replace(
        contender,
        queries=queries,
        total_speed_up=total,
        geometric_mean=geometric_mean(ratios) if ratios else None,
        best_geometric_mean=geometric_mean(ratios[:BEST]) if ratios else None,
        runs_to_most=how_soon(contender.name, by_run, total, noise),
    )


def _speed_up(query: QueryResult, default: Rounds, mine: Rounds) -> float:
    return (paired_speed_up(default, mine) if query.compared else None) or 1.0


def _by_round(result: BenchResult, contender: ContenderResult, queries: Sequence[QueryResult]) -> Rounds:
    """Seconds of all of these queries together, of each round in the end."""
    found = {}
    for place in final_places(result, contender):
        seconds = [query.seconds[place] for query in queries]
        if took := sum(one for one in seconds if one is not None):
            found[contender.runs[place].number] = took
    return found
