"""A job run once without the agent, then in every way with it, by directives drawn from the first run's log."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application

from .agent_log import agent_events, steered_executions
from .checks import failures, unlike_hints, unlike_orders, unlike_signatures
from .random_directives import RandomChoice, steered_queries
from .submits import Job, SteeringMethod, java_local

_DATASETS = "datasets\t"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The run without the agent: its rows, and directives for its queries."""

    rows: list[str]
    queries: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it: whether the rows are the same, statuses of the directives, what the plans have otherwise, and
    where the agent failed."""

    rows: int
    same: bool
    orders: Counter[str]
    hints: Counter[str]
    reasons: tuple[str, ...]
    problems: tuple[str, ...]
    source: str


def baseline(job: Job, seed: int = 1) -> Baseline:
    plain = java_local(job, "plain", {})
    (source,) = find_logs(plain.logs)
    choice = RandomChoice(hinted=0.8)
    steered = steered_queries(read_application(source), random.Random(seed), choice)
    return Baseline(plain.rows, [one.query for one in steered])


def steer(
    job: Job, name: str, way: SteeringMethod, before: Baseline, agent_conf: Mapping[str, str], *, in_file: bool = False
) -> Comparison:
    """Directives come as a property, or in a file that is shipped along."""
    ran = way(job, name, {**agent_conf, **_directives(job, name, before, in_file), "spark.tuner.agent.trace": "true"})
    executions = steered_executions(ran.logs)
    outcomes = {id_: outcome for execution in executions for id_, outcome in execution.outcomes.items()}
    problems = [*failures(ran.logs), *unlike_signatures(executions)]
    for execution in executions:
        problems += [*unlike_orders(execution, before.queries), *unlike_hints(execution, before.queries)]
    with_datasets = any(line.startswith(_DATASETS) for line in ran.rows)
    expected = before.rows if with_datasets else [line for line in before.rows if not line.startswith(_DATASETS)]
    # What runs only the statement is told of the Datasets' joins, too.
    queries = before.queries if with_datasets else before.queries[:1]
    orders, hints = (
        Counter(outcomes.get(d["id"], ("none", ""))[0] for query in queries for d in query[kind])
        for kind in ("orders", "hints")
    )
    loaded = list(agent_events(ran.logs, "AgentLoaded"))
    return Comparison(
        rows=len(ran.rows),
        same=ran.rows == expected,
        orders=orders,
        hints=hints,
        reasons=tuple(sorted({reason for status, reason in outcomes.values() if status != "applied"})),
        problems=(*problems, *(event["problem"] for event in loaded if event["problem"])),
        source="+".join(event["source"] for event in loaded),
    )


def _directives(job: Job, name: str, before: Baseline, in_file: bool) -> dict[str, str]:
    text = json.dumps({"version": 3, "queries": before.queries})
    if not in_file:
        return {"spark.tuner.directives": text}
    file = job.work / "directives" / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return {"spark.files": str(file), "spark.tuner.directives.file": file.name}
