"""How well operator times are predicted of TPC-DS queries that were not learned from; and the model that ships.

    python tests/benchmarks/operator_times.py DIRECTORY [--scale-factor 1] [--save FILE]

Runs the 99 queries as Spark plans them, and every third of them with sort merge joins only and with shuffled hash joins
only (Spark picks so few of those that their prices could not be told apart), each once, unless DIRECTORY holds their
logs already. Prints the errors of a model of the first run alone, then of all three; --save writes the latter: it is
what tuner/cost/learned/prior.json is. Needs the `demo` extra, Java, a quiet machine, and at SF1 a quarter of an hour.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.benchmarks.tpcds_log import write_log
from tuner.cli.as_text import explain_model
from tuner.cli.reading.measured_queries import samples_of_logs
from tuner.cost.learned.operator_times import OperatorTimes, write_model
from tuner.cost.learned.query_samples import Sample
from tuner.cost.learned.train_operator_times import train_operator_times
from tuner.cost.unit_costs import DEFAULT_COSTS

NO_BROADCAST = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
}
SHUFFLED_HASH = {**NO_BROADCAST, "spark.sql.join.forceApplyShuffledHashJoin": "true"}


def every_third(query: str) -> bool:
    """Without 72, whose fan-out takes minutes with a hash join."""
    return int(query) % 3 == 2


def logs(directory: Path, scale_factor: float) -> tuple[Path, Path, Path]:
    found = (directory / "default", directory / "merge", directory / "hash")
    for path, conf in zip(found, ({}, NO_BROADCAST, SHUFFLED_HASH), strict=True):
        if not path.exists():
            wanted = every_third if conf else lambda query: True
            write_log(directory, scale_factor, conf, wanted, path.name)
    return found


def samples_of(paths: Sequence[str]) -> list[Sample]:
    """All runs of a query are one query, also where its tables lie under another path."""
    measured, _ = samples_of_logs(list(paths))
    return [replace(one.sample, query=one.query.description) for one in measured]


def report(model: OperatorTimes) -> None:
    explain_model.show(model, OperatorTimes(DEFAULT_COSTS))
    print()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=1)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    paths = [str(path) for path in logs(options.directory.absolute(), options.scale_factor)]
    first = OperatorTimes(DEFAULT_COSTS)
    report(train_operator_times(samples_of(paths[:1]), first, "TPC-DS as Spark plans it"))
    told = f"TPC-DS at SF{options.scale_factor:g}: 99 queries, 33 of them also with sort merge and with shuffled hash joins"
    trained = train_operator_times(samples_of(paths), first, told)
    report(trained)
    if options.save:
        options.save.write_bytes(write_model(trained))
