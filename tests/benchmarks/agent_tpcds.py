"""TPC-DS with and without the agent: whether results are the same, and what the orders that are advised gain.

    python tests/benchmarks/agent_tpcds.py DIRECTORY results [--scale-factor 1] [--seeds 1 2] [--only 1 72]
    python tests/benchmarks/agent_tpcds.py DIRECTORY pairs [--scale-factor 1] [--only 25 72] [--rounds 5]

`results`: every query as written and in random orders with random hints (no order with more than three times the rows
between its joins), without the LIMIT at its end, for ties are cut anywhere. `pairs`: each query is run once as written; what
`advise` makes of that log is put in force; then as written and directed run in turns in one session. DIRECTORY/tables
then holds the tables. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import agent_runs

from tuner.advice.advise import advise
from tuner.advice.candidates.order_names import order_words, relation_names
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.learned.calibrated_model import calibrated_model, configured_model
from tuner.cost.learned.query_samples import samples
from tuner.demo.tables import make_tables, query_texts
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import ActionKind
from tuner.model.application import PlanInfo
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.plan.join_blocks import join_graphs
from tuner.plan.joins import every_join
from tuner.plan.node import build_tree
from tuner.plan.queries import queries
from tuner.plan.relation import short_name
from tuner.steering.agent.agent_directives import agent_directives
from tuner.words.actions import action_words
from tuner.words.query_names import NO_NAMES

sys.path.insert(0, str(Path(__file__).parents[1] / "steering"))
from agent.agent_log import Steered, steered_executions
from agent.checks import unlike_hints, unlike_orders

_LIMIT = re.compile(r"\s*\bLIMIT\s+\d+\s*$", re.IGNORECASE)
WRITTEN, DIRECTED = "written", "directed"


def results(directory: Path, texts: dict[str, str], seeds: Iterable[int]) -> None:
    options = {
        "tables": str(directory / "tables"),
        "queries": {name: _LIMIT.sub("", text) for name, text in texts.items()},
        "only": list(texts),
        "phases": [
            {"name": f"seed {seed}", "seed": seed, "most_cost": 3, "most_broadcast_rows": 200_000} for seed in seeds
        ],
    }
    report, logs = agent_runs.submit(agent_runs.APPS / "steered_app.py", directory, "results", options, {})
    executions: dict[str, list[Steered]] = {}
    for steered in steered_executions(logs):
        executions.setdefault(steered.label, []).append(steered)
    phases: dict[str, Counter[str]] = {}
    for entry in report:
        phase = phases.setdefault(entry["phase"], Counter())
        phase["programs"] += 1
        for kind in ("error", "difference"):
            if entry[kind]:
                phase[kind] += 1
                print(f"{entry['phase']}: {entry['name']}: {entry[kind]}")
        for steered in executions.get(f"{entry['phase']}: {entry['name']}", ()):
            given = entry.get("directives", [])
            phase.update(f"{kind.partition(':')[0]} {status}" for kind, (status, _) in steered.outcomes.items())
            for problem in (*unlike_orders(steered, given), *unlike_hints(steered, given)):
                print(problem)
    for name, counts in phases.items():
        print(f"{name}: {dict(counts)}")


def pairs(directory: Path, texts: dict[str, str], rounds: int, *, hints: bool) -> None:
    app = Path(__file__).with_name("agent_pairs_app.py")
    options = {"tables": str(directory / "tables"), "queries": texts, "rounds": 0, "modes": {WRITTEN: {}}}
    costs = {"spark.sql.ui.explainMode": "cost"}
    _, first = agent_runs.submit(app, directory, "first", options, costs)
    directives = advised(first, hints=hints)
    print(f"directives: {directives}")
    modes = {WRITTEN: {}, DIRECTED: {"": {"spark.tuner.directives": directives}}}
    records, logs = agent_runs.submit(app, directory, "pairs", {**options, "rounds": rounds, "modes": modes}, costs)
    for name in texts:
        show_times(name, [record for record in records if record["query"] == name and record["round"]])
        for steered in steered_executions(logs):
            if steered.label in (f"{WRITTEN}/{name}/1", f"{DIRECTED}/{name}/1"):
                show_plan(steered)


def advised(logs: Path, *, hints: bool) -> str:
    """The orders (and hints) that the advisors find in a log, as the agent takes them."""
    (source,) = find_logs(logs)
    application = read_application(source)
    cluster, found = cluster_of(application), queries(application)
    model = calibrated_model(samples(found, cluster), configured_model())
    facts = Facts(
        found, cluster, application.conf, Reach.AGENT, application.spark_version, model.costs, model.price_error
    )
    wanted = {ActionKind.ORDER_JOINS} | ({ActionKind.HINT_JOIN} if hints else set())
    tried = (DecidedChange(c, Standing.TRIAL, c.reason) for c in advise(facts) if c.kind in wanted)
    directives = agent_directives(Decision(Mode.AUTO, tuple(tried)), found)
    for action, why in directives.skipped:
        print(f"not said: {action_words(action, NO_NAMES)}: {why}")
    return directives.text


def show_times(name: str, records: list[dict[str, Any]]) -> None:
    seconds = {mode: [r["seconds"] for r in records if r["mode"] == mode] for mode in (WRITTEN, DIRECTED)}
    ratios = [a / b for a, b in zip(seconds[WRITTEN], seconds[DIRECTED], strict=True)]
    for mode, taken in seconds.items():
        print(f"{name} {mode:<9}{' '.join(f'{s:.2f}' for s in taken)}, median {statistics.median(taken):.2f} s")
    print(
        f"{name} written/directed, by pair: {' '.join(f'{r:.2f}' for r in ratios)}, median {statistics.median(ratios):.2f}"
    )


def show_plan(steered: Steered) -> None:
    """The order and the strategies that ran, and what the agent said."""
    execution = steered.execution
    plan = build_tree(execution.final_plan or execution.initial_plan or PlanInfo(), execution.accumulators)
    print(f"  {steered.label}: {steered.outcomes or 'nothing said'}")
    for graph in join_graphs(plan, finished=True):
        print(f"    order {order_words(graph.written, relation_names(graph))}")
    for join in every_join(plan):
        sides = (", ".join(map(short_name, side.relations)) for side in (join.left, join.right))
        print(
            f"    {join.strategy} {'(' + join.build_side + ' built)' if join.build_side else ''}: {' | '.join(sides)}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("what", choices=["results", "pairs"])
    parser.add_argument("--scale-factor", type=float, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--only", type=int, nargs="+", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hints", action="store_true", help="put the hints that are advised in force, too")
    options = parser.parse_args()
    directory = options.directory.absolute()
    make_tables(directory / "tables", options.scale_factor)
    only = options.only or ([25, 72] if options.what == "pairs" else [])
    texts = {f"query {n}": text for n, text in query_texts().items() if not only or n in only}
    if options.what == "results":
        results(directory, texts, options.seeds)
    else:
        pairs(directory, texts, options.rounds, hints=options.hints)


if __name__ == "__main__":
    main()
