"""Whether the agent names the joins of the 99 TPC-DS queries as the event log does, before and after a reorder.

    python tests/benchmarks/agent_identity.py DIRECTORY [--scale-factor 0.01] [--seed 1] [--only 1 72]

DIRECTORY/tables then holds the tables. Every query is run as written, and in random orders with random hints; the
agent's list of joins is compared with that of the plan which the log has. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import agent_runs

from tuner.demo.tables import make_tables, query_texts

sys.path.insert(0, str(Path(__file__).parents[1] / "steering"))
from agent.agent_log import steered_executions
from agent.checks import unlike_signatures

CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", default=[])
    options = parser.parse_args()
    directory = options.directory.absolute()
    make_tables(directory / "tables", options.scale_factor)
    texts = {f"query {n}": text for n, text in query_texts().items() if not options.only or n in options.only}
    wanted = {
        "tables": str(directory / "tables"),
        "queries": texts,
        "only": list(texts),
        "phases": [{"name": "steered", "seed": options.seed, "most_cost": 10}],
    }
    report, logs = agent_runs.submit(agent_runs.APPS / "steered_app.py", directory, "identity", wanted, CONF)
    for entry in report:
        if entry["error"] or entry["difference"]:
            print(f"{entry['phase']}: {entry['name']}: {entry['error'] or entry['difference']}")
    executions = steered_executions(logs)
    joins: Counter[str] = Counter()
    for steered in executions:
        joins[steered.label.partition(":")[0]] += sum(len(event["trace"]["joins"]) for event in steered.events)
    problems = list(unlike_signatures(executions))
    print("\n".join(problems))
    print(f"{len(texts)} queries; joins named: {dict(joins)}; plans that differ: {len(problems)}")


if __name__ == "__main__":
    main()
