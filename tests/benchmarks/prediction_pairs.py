"""How far what was foretold of changes was off, in jobs that were run; and the pairs that ship.

    python -m tests.benchmarks.prediction_pairs HISTORY.db... [--with-shipped] [--save FILE]

Each HISTORY.db is a store that a benchmark left (tests/benchmarks/certificate, `spark-tuner bench`, the demo). A pair is a change
that a run was the first to have: the seconds of its queries that were foretold with it, and those they took, over what they would
have taken without. For each job the bounds of the others' pairs are asked whether they hold its own: prints how many do, with
the interval of that share (Wilson 1927), beside the intervals by errors of prices and sizes alone and, of jobs that none of the
shipped pairs are from, those that ship. --with-shipped takes the pairs that ship for more jobs. --save writes what
tuner/cost/learned/prediction_pairs.json is.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import NormalDist, median

import msgspec

from tuner.cost.learned.prediction_errors import (
    MIN_PAIRS,
    PredictionErrors,
    PredictionPair,
    prediction_errors,
    shipped_errors,
    shipped_pairs,
)
from tuner.history.store import Store
from tuner.replay.cohort_replay import Observed
from tuner.replay.observed import Observer

MOST_RUNS = 1_000
# Queries that are shorter tell of start-up.
LEAST_SECONDS = 0.5
_LEAST_SHARE = 0.02


def job_of(path: Path) -> str:
    """What the data and queries of a store are: a certificate's trap without its seed, the directory of a bench."""
    name = (path.parents[1] if path.parent.name == "tuner" else path.parent).name
    seed, _, trap = name.partition("-")
    return trap if seed.isdigit() and trap else name


def observed_in(path: Path) -> Iterator[Observed]:
    with Store.open(f"sqlite:///{path}") as store:
        for summary in store.cohorts():
            observer = Observer()
            for run in store.recent(summary.cohort, MOST_RUNS, MOST_RUNS):
                yield from observer.take(run, run.decision.changes)


def pair_of(job: str, one: Observed) -> PredictionPair | None:
    """None where several advisors were at work, Spark came to it by itself, or the queries are short."""
    if len(one.advisors) != 1 or not one.by_tuner or one.before < LEAST_SECONDS:
        return None
    foretold, measured = (max(_LEAST_SHARE, seconds / one.before) for seconds in (one.predicted.after, one.after))
    return PredictionPair(one.advisors[0], job, round(math.log(foretold), 3), round(math.log(measured), 3))


def wilson(held: int, of: int, level: float = 0.95) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle, width = (held + z * z / 2) / (of + z * z), z / (of + z * z) * math.sqrt(held * (of - held) / of + z * z / 4)
    return middle - width, middle + width


def held_out(pairs: Sequence[PredictionPair]) -> list[bool]:
    """Of each pair, whether the bounds by the pairs of all other jobs hold it."""
    found = []
    for job in {pair.job for pair in pairs}:
        errors = prediction_errors(pair for pair in pairs if pair.job != job)
        found += held_by(errors, [pair for pair in pairs if pair.job == job])
    return found


def held_by(errors: PredictionErrors, pairs: Sequence[PredictionPair]) -> list[bool]:
    """Of each pair whose advisor has bounds, whether they hold it."""
    known = ((errors.bounds(pair.advisor), pair.error) for pair in pairs)
    return [bounds.low <= error <= bounds.high for bounds, error in known if bounds is not None]


def told(what: str, held: Sequence[bool]) -> str:
    if not held:
        return f"{what}: none"
    low, high = wilson(sum(held), len(held))
    return f"{what}: {sum(held)} of {len(held)}, {sum(held) / len(held):.0%} ({low:.0%} to {high:.0%} at 95 %)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+")
    parser.add_argument("--with-shipped", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    seen = [(job_of(path), one) for path in options.stores for one in observed_in(path)]
    both = [(pair, one) for job, one in seen if (pair := pair_of(job, one)) is not None]
    pairs = [pair for pair, _ in both]
    new = list(pairs)
    if options.with_shipped:
        measured = {pair.job for pair in pairs}
        pairs += [pair for pair in shipped_pairs() if pair.job not in measured]
    print(f"{len(pairs)} pairs of {len({pair.job for pair in pairs})} jobs")
    print(told("held by the interval that was foretold", [one.within for _, one in both]))
    print(told("held by the bounds of other jobs' pairs", held_out(pairs)))
    print(told("held by the bounds that ship", held_by(shipped_errors(), new)))
    errors = prediction_errors(pairs)
    for advisor in sorted({pair.advisor for pair in pairs}):
        mine, bounds = [pair.error for pair in pairs if pair.advisor == advisor], errors.bounds(advisor)
        within = f"{math.exp(bounds.low):.2f} to {math.exp(bounds.high):.2f}x" if bounds else "too few"
        own = "" if len(mine) >= MIN_PAIRS else ", with others"
        print(
            f"  {advisor}: {len(mine)}, median {math.exp(median(mine)):.2f}x of what was foretold, 90 % {within}{own}"
        )
    if options.save:
        options.save.write_bytes(msgspec.json.format(msgspec.json.encode(pairs), indent=0) + b"\n")


if __name__ == "__main__":
    main()
