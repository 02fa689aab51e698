"""Fragile programs on real Spark, as written and under directives at random, and what came of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.plan.queries import queries

from .agent_log import steered_executions
from .fragile_programs import Fragile
from .fragile_tables import write_fragile_tables

_APP = Path(__file__).with_name("fragile_app.py")
_STEERED = "steered: "


@dataclass(frozen=True, slots=True)
class FragileRun:
    """By program: its entry in the report of `fragile_app`, of each of its directives, by id, the status and the reason, and what
    its query and its blocks of joins are called, as written and steered."""

    entries: dict[str, dict[str, Any]]
    outcomes: dict[str, dict[str, tuple[str, str]]]
    names: dict[str, set[tuple[str, ...]]]


def run_fragile(
    spark_submit: Callable[..., Path],
    agent_conf: Mapping[str, str],
    root: Path,
    programs: Mapping[str, Fragile],
    phase: Mapping[str, Any],
) -> FragileRun:
    """Runs them in one application, in the folder `root`; `phase` is of the directives, as in `steered_app`."""
    (root / "work").mkdir()
    options = {
        "tables": str(write_fragile_tables(root / "tables")),
        "work": str(root / "work"),
        "programs": {name: asdict(program) for name, program in programs.items()},
        "phase": phase,
    }
    (root / "options.json").write_text(json.dumps(options), encoding="utf-8")
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": (root / "warehouse").as_uri(),
    }
    logs = spark_submit(_APP, root / "options.json", root / "report.json", log_dir=root / "logs", conf=conf)
    report = json.loads((root / "report.json").read_text(encoding="utf-8"))
    outcomes: dict[str, dict[str, tuple[str, str]]] = {}
    for steered in steered_executions(logs):
        if steered.label.startswith(_STEERED):
            outcomes.setdefault(steered.label.removeprefix(_STEERED), {}).update(steered.outcomes)
    return FragileRun({entry["name"]: entry for entry in report}, outcomes, _names(logs))


def _names(logs: Path) -> dict[str, set[tuple[str, ...]]]:
    (source,) = find_logs(logs)
    found: dict[str, set[tuple[str, ...]]] = {}
    for query in queries(read_application(source)):
        program = query.description.partition("\n")[0].partition(": ")[2]
        found.setdefault(program, set()).add((query.fingerprint, *sorted(graph.signature for graph in query.graphs)))
    return found
