"""How the physical what-if agrees with what Spark planned and with what its stages took.

    python -m tests.benchmarks.what_if_agreement LOG

For every block of inner joins in a log: its written order, with the strategies that the plan before AQE has, gives
exchanges, sorts and broadcasts, which are compared with those of that plan, side by side. With the strategies of the
last plan it gives the exchanges that are reused. Last, the strategies that Spark's rules choose for the sizes as
measured, against those that ran. Then the seconds of stages that hold joins, sorts and exchanges of one block and
nothing else, at the shipped prices, against their tasks' run time, and the number of their tasks (run time holds the waiting
for a processor, of which a machine with other work does much). Exit code 1 where exchanges, sorts or
broadcasts differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

from tests.cost.what_if.agreement import PLANNED, Comparison
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application


def _show_ratios(what: str, ratios: Sequence[float]) -> None:
    if len(ratios) < 2:
        print(f"{what}: {len(ratios)} stages")
        return
    twentieths = quantiles(ratios, n=20, method="inclusive")
    print(
        f"{what}: {len(ratios)} stages, median {median(ratios):.2f}, 90 % {twentieths[0]:.2f} to {twentieths[-1]:.2f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    parser.add_argument("--differences", type=int, default=20, help="list at most so many")
    options = parser.parse_args()
    wrong = 0
    for source in find_logs(options.log):
        comparison = Comparison(read_application(source))
        comparison.run()
        agreement = comparison.agreement
        print(f"{comparison.blocks} blocks before AQE")
        for what in dict.fromkeys((*agreement.right, *agreement.wrong)):
            print(f"  {what}: {agreement.right[what]} of {agreement.right[what] + agreement.wrong[what]}")
        for line in agreement.differences[: options.differences]:
            print(f"    {line}")
        stages = comparison.stages
        _show_ratios("core seconds, priced / run time", [s.predicted_seconds / s.run_seconds for s in stages])
        _show_ratios("core seconds, priced / CPU time", [s.predicted_seconds / s.cpu_seconds for s in stages])
        _show_ratios("tasks, derived / run", [s.predicted_tasks / s.measured_tasks for s in stages])
        wrong += sum(agreement.wrong[what] for what in PLANNED)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
