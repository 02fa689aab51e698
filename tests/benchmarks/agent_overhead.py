"""What the agent adds to the planning of the 99 TPC-DS queries.

    python tests/benchmarks/agent_overhead.py DIRECTORY [--scale-factor 0.01] [--rounds 6] [--log LOG]

DIRECTORY/tables then holds the tables. Each query is planned, not run, in turns: without the agent's rules (they are
excluded from the optimiser), with them and nothing to do, and with directives for all 99 queries (their orders as written,
and hints), drawn from LOG: an event log of the queries over the same tables, by default written first, if none was. Rounds are a
multiple of three: with others one mode plans later than another, when more is compiled.

Told for each mode: seconds of all plans, seconds of their phases, what the rules took of them, the median of a plan's ratio
to the same query's of the same round without the rules, and the milliseconds more: at the median, and of 95 % at most.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import agent_runs
from tpcds_log import write_log

from tuner.demo.tables import make_tables, query_texts
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application

sys.path.insert(0, str(Path(__file__).parents[1] / "steering"))
from agent.agent_log import agent_events
from agent.random_directives import RandomChoice, steered_queries

RULES = "tuner.steering.agent.OrderRule,tuner.steering.agent.HintRule"
WITHOUT, IDLE, DIRECTED = "without", "nothing to do", "directed"


def directives(log: Path, order: str) -> str:
    (source,) = find_logs(log)
    choice = RandomChoice(order=order, hinted=0.5)
    queries = [s.query for s in steered_queries(read_application(source), random.Random(1), choice)]
    return json.dumps({"version": 3, "queries": queries})


def report(records: list[dict[str, Any]], logs: Path) -> None:
    totals: dict[str, Counter[str]] = {}
    for record in records:
        total = totals.setdefault(record["mode"], Counter())
        total.update({key: record[key] for key in ("seconds", "phase_ms", "rule_ns")})
    print(
        f"{'':<16}{'seconds':>10}{'phases':>10}{'rules ms':>10}{'rules of phases':>17}{'median of ratios':>18}"
        f"{'ms more':>10}{'95 %':>8}"
    )
    base = {(r["query"], r["round"]): r["seconds"] for r in records if r["mode"] == WITHOUT}
    for mode, total in totals.items():
        pairs = [(r["seconds"], base[r["query"], r["round"]]) for r in records if r["mode"] == mode]
        ratios, more_ms = [a / b for a, b in pairs], sorted((a - b) * 1e3 for a, b in pairs)
        spent, phases = total["rule_ns"] / 1e6, total["phase_ms"]
        print(
            f"{mode:<16}{total['seconds']:>10.2f}{phases / 1e3:>10.2f}{spent:>10.1f}{spent / phases:>17.3%}"
            f"{statistics.median(ratios):>18.4f}{statistics.median(more_ms):>10.1f}{more_ms[int(0.95 * len(more_ms))]:>8.1f}"
        )
    took = [event["tookMicros"] for event in agent_events(logs, "PlanSteered")]
    print(f"tookMicros of {len(took)} events: {sum(took) / 1e3:.1f} ms, the most {max(took, default=0) / 1e3:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=0.01)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--order", choices=["written", "random"], default="written")
    options = parser.parse_args()
    if options.rounds % 3:
        parser.error("--rounds: a multiple of three, so that each mode plans first as often as the others")
    directory = options.directory.absolute()
    make_tables(directory / "tables", options.scale_factor)
    written = directory / "logs"
    log = options.log or (
        written if written.is_dir() else write_log(directory, options.scale_factor, name=written.name)
    )
    file = directory / "directives.json"
    file.write_text(directives(log, options.order), encoding="utf-8")
    wanted = {
        "tables": str(directory / "tables"),
        "queries": {f"query {n}": text for n, text in query_texts().items()},
        "rounds": options.rounds,
        "rules": RULES.split(","),
        "modes": {
            WITHOUT: {"spark.sql.optimizer.excludedRules": RULES},
            IDLE: {},
            DIRECTED: {"spark.tuner.directives.file": str(file)},
        },
    }
    app = Path(__file__).with_name("agent_planning_app.py")
    records, logs = agent_runs.submit(app, directory, "planning", wanted, {})
    report(records, logs)


if __name__ == "__main__":
    main()
