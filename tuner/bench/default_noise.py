"""How much Spark's defaults differ from themselves between rounds: what a gain or a loss has to exceed to mean anything."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.bench.bench_result import BenchResult

# Seconds of one query in each run by default, in the order of runs; None where it failed.
Seconds = Sequence[float | None]


def totals(queries: Sequence[Seconds]) -> tuple[float, ...]:
    """Seconds of each run, of those queries that succeeded in all."""
    whole = [[one for one in seconds if one is not None] for seconds in queries]
    of_all = [mine for mine, seconds in zip(whole, queries, strict=True) if mine and len(mine) == len(seconds)]
    return tuple(map(sum, zip(*of_all, strict=True)))


def spread(seconds: Seconds) -> float | None:
    """How many times as long the slowest run took as the fastest; None where fewer than two tell."""
    whole = [one for one in seconds if one]
    return max(whole) / min(whole) if len(whole) > 1 else None


def default_spread(result: BenchResult) -> float | None:
    """How many times as long the defaults' slowest round took as their fastest."""
    return spread(totals([query.seconds for query in result.contenders[0].queries])) if result.contenders else None
