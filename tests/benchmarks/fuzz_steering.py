"""Whether steering ever changes what a program returns, or makes one fail that does not.

    python tests/benchmarks/fuzz_steering.py [--minutes 10] [--programs N] [--first 0] [--keep DIRECTORY] [--interpreted]

Draws programs with raising, non-deterministic and order-sensitive expressions above, between and below blocks of joins, with
ANSI on and off (tests/steering/agent/fragile_programs.py). Runs each as written, then under orders and hints drawn at random
from all that the agent takes, in batches of applications, until the minutes or the programs are over. Rows are compared
exactly, doubles to nine digits. What differs runs as written once more: what two plain runs do not agree on is counted by
itself. `--interpreted` has Spark compile nothing: of such small tables that takes most of the time, and what the agent changes
comes before it. Prints each difference with its statement and directives, and each failure of the agent's own, which leaves
a plan as it was; then the counts. Exits with 1 for any, and where a kind of directive was often drawn and never applied. Needs
Java.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import agent_runs

sys.path.insert(0, str(Path(__file__).parents[1] / "steering"))
from agent.agent_log import steered_executions
from agent.checks import failures
from agent.fragile_tables import write_fragile_tables

_BATCH = 250
_OFTEN = 20
_STEERED = "steered: "
_FAILS, _UNTRIED = "AGENT FAILS", "NEVER APPLIED"
_CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ui.explainMode": "simple",
    "spark.driver.memory": "3g",
    "spark.log.level": "OFF",
}
_INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


def verdict(entry: dict[str, Any]) -> str:
    """What became of a program: same, differs, fails, or why it tells nothing."""
    if entry["steered"] is None:
        return "fails as written"
    if entry["again"] is None:
        return "same"
    if entry["again"] != entry["plain"]:
        return "differs as written"
    return "FAILS STEERED" if entry["steered"][0] else "DIFFERS STEERED"


def kinds(entry: dict[str, Any]) -> dict[str, str]:
    """Of the directives of a program, by id: "order", or the hint."""
    found = {order["id"]: "order" for query in entry["directives"] for order in query["orders"]}
    return found | {hint["id"]: hint["hint"] for query in entry["directives"] for hint in query["hints"]}


def never_applied(statuses: Mapping[tuple[str, str], int]) -> list[str]:
    """The kinds of directives that were drawn often enough, and of which none was applied."""
    drawn: Counter[str] = Counter()
    for (kind, _), count in statuses.items():
        drawn[kind] += count
    return sorted(kind for kind, count in drawn.items() if count >= _OFTEN and not statuses.get((kind, "applied")))


def batch(
    directory: Path, tables: Path, first: int, count: int, conf: dict[str, str]
) -> tuple[list[dict[str, Any]], Counter[tuple[str, str]], list[str]]:
    """The report of some programs, what the agent did with its directives by their kinds, and where it failed."""
    phase = {"seed": first, "hinted": 0.6, "filtered": 0.4, "shared": 0.7, "cartesian": 0.1}
    options = {"tables": str(tables), "numbers": [first, count], "phase": phase}
    report, logs = agent_runs.submit(agent_runs.APPS / "fragile_app.py", directory, "fuzz", options, conf)
    executions = [steered for steered in steered_executions(logs) if steered.label.startswith(_STEERED)]
    drawn = {entry["name"]: kinds(entry) for entry in report}
    statuses: Counter[tuple[str, str]] = Counter()
    for steered in executions:
        of_program = drawn[steered.label.removeprefix(_STEERED)]
        statuses.update((of_program[id_], status) for id_, (status, _) in steered.outcomes.items())
    return report, statuses, list(failures(logs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--programs", type=int, default=10**9)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where logs and reports stay; a temporary folder otherwise")
    parser.add_argument("--interpreted", action="store_true", help="Spark compiles no code.")
    options = parser.parse_args()
    conf = {**_CONF, **(_INTERPRETED if options.interpreted else {})}
    started, done = time.monotonic(), 0
    counts: Counter[str] = Counter()
    statuses: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="fuzz-steering-") as temporary:
        directory = (options.keep or Path(temporary)).absolute()
        tables = directory / "tables"
        if not tables.exists():
            write_fragile_tables(tables)
        while done < options.programs and time.monotonic() - started < options.minutes * 60:
            count = min(_BATCH, options.programs - done)
            report, found, failed = batch(directory, tables, options.first + done, count, conf)
            statuses.update(found)
            counts.update(_FAILS for _ in failed)
            for line in failed:
                print(json.dumps({"verdict": _FAILS, "failure": line}), flush=True)
            for entry in report:
                counts[verdict(entry)] += 1
                if verdict(entry).isupper():
                    print(json.dumps({"verdict": verdict(entry), **shortened(entry)}), flush=True)
            done += count
            shown = {f"{kind} {status}": count for (kind, status), count in sorted(statuses.items())}
            print(f"{done} programs, {time.monotonic() - started:.0f} s: {dict(counts)}; {shown}", flush=True)
    for kind in never_applied(statuses):
        counts[_UNTRIED] += 1
        print(json.dumps({"verdict": _UNTRIED, "kind": kind}), flush=True)
    sys.exit(any(word.isupper() for word in counts))


def shortened(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        **entry,
        **{key: [error[:300], (rows or [])[:4]] for key in ("plain", "steered") for error, rows in [entry[key]]},
    }


if __name__ == "__main__":
    main()
