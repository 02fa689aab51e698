"""What the agent wrote into an event log, beside what the log says of the same executions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Execution
from tuner.plan.node import PlanNode, build_tree

_PACKAGE = "tuner.steering.agent."
_MARK = f'"Event":"{_PACKAGE}'.encode()


@dataclass(frozen=True, slots=True)
class Steered:
    """An execution with its plan before AQE, and the agent's events of it."""

    execution: Execution
    plan: PlanNode
    events: tuple[dict[str, Any], ...]

    @property
    def label(self) -> str:
        return self.execution.description.partition("\n")[0]

    @property
    def ran(self) -> PlanNode:
        """The plan that ran in the end, with its metrics."""
        final = self.execution.final_plan or self.execution.initial_plan
        assert final is not None
        return build_tree(final, self.execution.accumulators)

    @property
    def outcomes(self) -> dict[str, tuple[str, str]]:
        """Status and reason by the action's id."""
        return {o["id"]: (o["status"], o.get("reason", "")) for event in self.events for o in event["outcomes"]}


def agent_events(logs: Path, name: str = "") -> Iterator[dict[str, Any]]:
    """The agent's events in all logs below a folder, in order; only those of a class, if named."""
    for source in find_logs(logs):
        for file in source.files:
            with file.open("rb") as raw:
                for line in open_plain(raw, file.name):
                    if line.replace(b'"Event" : "', b'"Event":"').startswith(b"{" + _MARK + name.encode()):
                        yield json.loads(line)


def steered_executions(logs: Path) -> list[Steered]:
    """The executions of the only log below a folder that have a plan."""
    events: dict[int, list[dict[str, Any]]] = {}
    for event in agent_events(logs, "PlanSteered"):
        events.setdefault(event["executionId"], []).append(event)
    (source,) = find_logs(logs)
    return [
        Steered(execution, build_tree(execution.initial_plan, {}), tuple(events.get(execution.execution_id, ())))
        for execution in read_application(source).executions
        if execution.initial_plan is not None
    ]
