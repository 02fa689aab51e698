"""Whether the agent steers every kind of application on every Spark at hand.

    python tests/benchmarks/agent_matrix.py HOME... [--seed 1]

HOMEs are Spark installations (bin and jars). For each: a Java application in one process, on a standalone cluster in client
and in cluster mode, and a file of SQL, each run without the agent and then with it, by directives drawn at random. Exits with
1 where one fails, gives other rows, follows no order or no hint, has other plans than the agent says, or where the agent fails
itself. Needs Java.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "steering"))
sys.path.insert(0, str(Path(__file__).parents[1]))
from agent.conftest import conf_of
from agent.small_tables import write_small_tables
from agent.steer_one import baseline, steer
from agent.submits import Job, compile_application, ways
from conftest import standalone_cluster


def check(home: Path, seed: int) -> bool:
    """Whether all applications were steered, and gave the rows that they give without the agent."""
    is_fine = True
    with tempfile.TemporaryDirectory(prefix="agent-matrix-") as directory:
        work = Path(directory)
        conf = conf_of(home, work)
        tables = write_small_tables(work / "tables")
        job = Job(home, tables, compile_application(home, work), work)
        before = baseline(job, seed)
        (work / "cluster").mkdir()
        with standalone_cluster(home, work / "cluster") as url:
            # By a property and in a file by turns, the cluster mode in both.
            kinds = [(name, way, number % 2 == 1) for number, (name, way) in enumerate(ways(url))]
            for name, way, in_file in (*kinds, ("java-cluster-file", dict(ways(url))["java-cluster"], True)):
                started = time.monotonic()
                try:
                    found = steer(job, name, way, before, conf, in_file=in_file)
                except AssertionError as error:
                    is_fine = False
                    print(f"{home.name:<16}{name:<20}FAILED {error}", flush=True)
                    continue
                follows = bool(found.orders["applied"] and found.hints["applied"])
                is_fine &= found.same and follows and not found.problems
                rows = f"{found.rows} rows {'equal' if found.same else 'DIFFERENT'}"
                shown = f"orders {dict(found.orders)}, hints {dict(found.hints)}, by {found.source}"
                print(f"{home.name:<16}{name:<20}{rows:<18}{shown}, {time.monotonic() - started:.0f} s", flush=True)
                for line in (*found.reasons, *found.problems):
                    print(f"{'':<38}{line}", flush=True)
    return is_fine


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("homes", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    fine = [check(home.absolute(), options.seed) for home in options.homes]
    sys.exit(not all(fine))
