"""Whether the agent finds the same values in the 99 TPC-DS queries as the event log tells.

    python tests/benchmarks/agent_literals.py DIRECTORY [--scale-factor 0.01] [--only 1 72]

DIRECTORY/tables then holds the tables. Every query is run as written. What differs costs a recurring query the first run in
which it could be steered. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import agent_runs

from tuner.demo.tables import make_tables, query_texts
from tuner.plan.literals import query_values

sys.path.insert(0, str(Path(__file__).parents[1] / "steering"))
from agent.agent_log import steered_executions

CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ui.explainMode": "cost",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=0.01)
    parser.add_argument("--only", type=int, nargs="+", default=[])
    options = parser.parse_args()
    directory = options.directory.absolute()
    make_tables(directory / "tables", options.scale_factor)
    texts = {f"query {n}": text for n, text in query_texts().items() if not options.only or n in options.only}
    wanted = {"tables": str(directory / "tables"), "queries": texts, "only": list(texts), "phases": []}
    _, logs = agent_runs.submit(agent_runs.APPS / "steered_app.py", directory, "literals", wanted, CONF)
    show(logs)


def show(logs: Path) -> None:
    counts: Counter[str] = Counter()
    for steered in steered_executions(logs):
        if not steered.events:
            continue
        said, execution = steered.events[-1]["literals"], steered.execution
        for source, text in (("logical plan", execution.logical_plan), ("physical plan", None)):
            found = query_values(steered.plan, text).literals
            same = found == said
            counts[f"{source}: {'same' if same else 'differs' if found else 'unknown'}"] += 1
            if not same:
                print(f"{steered.label}: {source}")
    print(dict(counts))


if __name__ == "__main__":
    main()
