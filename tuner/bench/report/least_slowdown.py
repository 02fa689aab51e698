"""How much slower a query has to be until a test over so few repeats can find it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median, variance

from tuner.bench.bench_result import BenchResult, ContenderResult
from tuner.bench.final_places import final_places
from tuner.bench.slowdown import MARGIN, SIGNIFICANCE

# Up to here a count of what is surely slower says something.
FINE = 1.25
# Above it no number means anything.
_MOST = 100.0


def least_slowdown(result: BenchResult, contender: ContenderResult) -> float | None:
    """About how many times as long a query must take to be called surely slower, as the seconds of all queries spread over the
    repeats; None where none was tested, infinite where none can be found."""
    spreads = list(_variances(result, contender))
    if not contender.tested or not spreads:
        return None
    # The import takes half a second.
    from scipy.stats import t

    mine, usual = (len(final_places(result, one)) for one in (contender, result.contenders[0]))
    # The first of Holm's tests, which all others wait for.
    most = float(t.ppf(1 - SIGNIFICANCE / contender.tested, mine + usual - 2))
    log = most * math.sqrt(median(spreads) * (1 / mine + 1 / usual))
    found = (1 + MARGIN) * math.exp(min(log, 700.0))
    return found if found < _MOST else math.inf


def too_few(result: BenchResult) -> Iterator[str]:
    """What so few repeats cannot find, of each contender of which that is much."""
    for one in result.contenders[1:]:
        least = least_slowdown(result, one)
        if least is not None and least > FINE:
            what = "no slowdown" if least == math.inf else f"only slowdowns of more than about {least:.2f}x"
            yield f"{one.name}: {result.repeats} repeats can find {what}"


def _variances(result: BenchResult, contender: ContenderResult) -> Iterator[float]:
    default = result.contenders[0]
    usual = {query.name: query.seconds for query in default.queries}
    for query in contender.queries:
        logs = [
            [math.log(seconds) for place in final_places(result, one) if (seconds := of[place])]
            for one, of in ((contender, query.seconds), (default, usual.get(query.name, ())))
            if len(of) == len(one.runs)
        ]
        if len(logs) == 2 and all(len(one) > 1 for one in logs):
            yield (variance(logs[0]) + variance(logs[1])) / 2
