"""A job that runs night after night with a real store, and event logs as Spark writes them, but small."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import ismodule
from pathlib import Path
from typing import Any

import pytest

import tuner.loop
from tuner.eventlog.location import local_path
from tuner.history.store import Store
from tuner.loop.loop import JobToRun, Report, Turn, complete, prepare
from tuner.loop.time_limits import MostSeconds
from tuner.model.agent_message import DIRECTIVES, decode_whole
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.size_change import MemoryLimits, Resources
from tuner.plan.digest import digest
from tuner.plan.sealed_directives import opened
from tuner.steering.agent.sources import digest_of_all
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering
from tuner.steering.order_sensitive import OrderSensitive
from tuner.steering.submit_conf import EVENT_LOG_DIR, EXPLAIN_MODE

_MODULES = [import_module(f"tuner.loop.{found.name}") for found in pkgutil.iter_modules(tuner.loop.__path__)]


def replace_in_loop(patch: pytest.MonkeyPatch, name: str, by: Callable[..., Any]) -> None:
    """Has each step of the loop that calls what is named so call another."""
    those = [one for one in _MODULES if not ismodule(getattr(one, name, one))]
    assert those, name
    for one in those:
        patch.setattr(one, name, by)


START_MS = 1_700_000_000_000
_SQL = "org.apache.spark.sql.execution.ui."

# Tests share their machine: what they are about is not how long a decision takes there.
PATIENT = MostSeconds(60.0, 60.0)


# What the job's query reads.
RELATIONS, COLUMNS = ("db.items", "db.sales"), digest("db.items.id\ndb.sales.item")


def _scan(name: str, column: str, id_: int) -> dict[str, Any]:
    shown = name.replace("Scan parquet", "FileScan parquet")
    return _node(name, f"{shown}[{column}#{id_}]", rows=id_ + 1, size=id_ + 2)


def _node(name: str, text: str, *children: dict[str, Any], **metrics: int) -> dict[str, Any]:
    names = {
        "rows": "number of output rows",
        "size": "size of files read",
        "data": "data size",
        "sort": "sort time",
        "records": "shuffle records written",
    }
    return {
        "nodeName": name,
        "simpleString": text,
        "children": list(children),
        "metadata": {},
        "metrics": [{"name": names[m], "accumulatorId": a, "metricType": "sum"} for m, a in metrics.items()],
    }


def _plan(schema: str, *, broadcast: bool, names_items: bool) -> dict[str, Any]:
    sales = _scan(f"Scan parquet {schema}.sales", "item", 10)
    items = _scan(f"Scan parquet {schema}.items" if names_items else "BatchScan", "id", 20)
    if broadcast:
        small = _node("BroadcastExchange", "BroadcastExchange HashedRelationBroadcastMode", items, data=24)
        return _node(
            "BroadcastHashJoin", "BroadcastHashJoin [item#10], [id#20], Inner, BuildRight", sales, small, rows=1
        )
    sides = [
        _node(
            "Sort",
            f"Sort [{column}#{n} ASC NULLS FIRST], false, 0",
            _node("Exchange", f"Exchange hashpartitioning({column}#{n}, 200)", scan, data=n + 4, records=n + 5),
            sort=n + 3,
        )
        for column, n, scan in (("item", 10, sales), ("id", 20, items))
    ]
    return _node("SortMergeJoin", "SortMergeJoin [item#10], [id#20], Inner", *sides, rows=1)


# Rows, file bytes, sort ms, shuffle bytes, records of the sales (1x) and items (2x) side; rows put out (1).
_VALUES = {1: 1_430_861, 11: 1_430_861, 12: 10**8, 13: 1_500, 14: 57_234_440, 15: 1_430_861}
_VALUES |= {21: 198_263, 22: 2 * 10**7, 23: 90, 24: 14_274_936, 25: 198_263}


_LOGICAL_PLAN = """== Optimized Logical Plan ==
Join Inner, (item#10 = id#20), Statistics(sizeInBytes=1.8 PiB)
:- Relation db.sales[item#10] parquet, Statistics(sizeInBytes=95.4 MiB)
+- Relation db.items[id#20] parquet, Statistics(sizeInBytes=19.1 MiB)

== Physical Plan ==
"""


def _answers(conf: Mapping[str, str], relations: tuple[str, ...], release: str) -> list[dict[str, Any]]:
    """What the agent says that applied all that it was told of the job's query."""
    message = decode_whole(conf[DIRECTIVES])
    mine = (query for query in message.queries if query.relations == relations)
    told = (*mine, *opened(message.sealed, RELATIONS, COLUMNS))
    return [
        {"Event": "tuner.steering.agent.AgentLoaded", "version": 3, "release": release},
        *(
            {
                "Event": "tuner.steering.agent.PlanSteered",
                "executionId": 0,
                "fingerprint": query.fingerprint,
                "outcomes": [{"id": id_, "status": "applied", "reason": ""} for id_ in query.ids],
                "literals": digest(""),
                "conditions": [],
            }
            for query in told
        ),
    ]


@dataclass
class Spark:
    """What a Spark job leaves behind: an event log where its conf says."""

    seconds: float = 7.0
    broadcast: bool = False
    ended: bool = True
    cut: int = 0
    error: str | None = None
    description: str = "statement 1 of 1"
    version: str = "4.0.1"
    start_ms: int = START_MS
    agent: bool = False
    heap_bytes: int = 0
    firm_bytes: int = 0
    executors: int = 1
    schema: str = "db"
    # Whether the log tells the table of the items.
    names_items: bool = True
    release: str = field(default_factory=digest_of_all)

    def run(self, turn: Turn, extra: Mapping[str, str] | None = None) -> None:
        conf = {
            "spark.master": "local[2]",
            "spark.driver.memory": "4g",
            **turn.job.user_conf,
            **turn.conf,
            **(extra or {}),
        }
        self.write(conf, f"local-{self.start_ms}" if self.start_ms != START_MS else "local-1")

    def write(self, conf: Mapping[str, str], name: str = "local-1") -> None:
        start, took = self.start_ms, int(self.seconds * 1000)
        plan = _plan(self.schema, broadcast=self.broadcast, names_items=self.names_items)
        relations = (f"{self.schema}.items" if self.names_items else "batchscan", f"{self.schema}.sales")
        execution = {"executionId": 0, "rootExecutionId": 0, "description": self.description, "details": ""}
        if conf.get(EXPLAIN_MODE) == "cost":
            execution["physicalPlanDescription"] = _LOGICAL_PLAN.replace(" db.", f" {self.schema}.")
        events: list[dict[str, Any]] = [
            {"Event": "SparkListenerLogStart", "Spark Version": self.version},
            {"Event": "SparkListenerApplicationStart", "App Name": "etl", "App ID": name, "Timestamp": start},
            *(
                {
                    "Event": "SparkListenerExecutorAdded",
                    "Timestamp": start,
                    "Executor ID": str(number) if number else "driver",
                    "Executor Info": {"Total Cores": 2},
                }
                for number in range(self.executors)
            ),
            {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": dict(conf)},
            *(_answers(conf, relations, self.release) if self.agent else ()),
            {"Event": _SQL + "SparkListenerSQLExecutionStart", **execution, "sparkPlanInfo": plan, "time": start},
            {
                "Event": _SQL + "SparkListenerDriverAccumUpdates",
                "executionId": 0,
                "accumUpdates": [[i, v] for i, v in _VALUES.items()],
            },
            {
                "Event": _SQL + "SparkListenerSQLExecutionEnd",
                "executionId": 0,
                "time": start + took,
                "errorMessage": self.error,
            },
            *self._task(),
            *self._peaks(),
            {"Event": "SparkListenerApplicationEnd", "Timestamp": start + took + 500},
        ]
        events = (
            events if self.ended else [e for e in events if not e["Event"].endswith(("ExecutionEnd", "ApplicationEnd"))]
        )
        text = "".join(json.dumps(e, separators=(",", ":")) + "\n" for e in events)
        directory = local_path(conf[EVENT_LOG_DIR])
        assert directory is not None
        suffix = "" if self.ended else ".inprogress"
        (directory / (name + suffix)).write_text(text[: len(text) - self.cut])

    def _peaks(self) -> list[dict[str, Any]]:
        """The fullest that the heap was seen, where it was looked at."""
        peaks = {"Executor ID": "driver", "Executor Metrics": {"JVMHeapMemory": self.heap_bytes}}
        return [{"Event": "SparkListenerStageExecutorMetrics", **peaks}] if self.heap_bytes else []

    def _task(self) -> list[dict[str, Any]]:
        """One on an executor whose heap was looked at."""
        if not self.firm_bytes:
            return []
        info = {"Executor ID": "1", "Launch Time": self.start_ms, "Finish Time": self.start_ms + 900}
        metrics = {"Executor Run Time": 900, "Executor CPU Time": 800_000_000}
        peaks = {"JVMHeapMemory": self.firm_bytes}
        stage = {"Stage ID": 0, "Stage Attempt ID": 0, "Task End Reason": {"Reason": "Success"}}
        started = {"Stage ID": 0, "Task Info": {"Launch Time": self.start_ms}}
        return [
            {"Event": "SparkListenerTaskStart", **started},
            {
                "Event": "SparkListenerTaskEnd",
                **stage,
                "Task Info": info,
                "Task Metrics": metrics,
                "Task Executor Metrics": peaks,
            },
        ]


@dataclass
class Nightly:
    """A job that runs night after night against one store."""

    root: Path
    mode: Mode = Mode.AUTO
    user_conf: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    cohort: str = "etl.load"
    steering: Steering = Steering.CONF
    submission: Submission = field(default_factory=Submission)
    order_sensitive: OrderSensitive = OrderSensitive.STABLE
    borrows: bool = True
    resources: Resources = Resources.OBSERVE
    objective: Objective = Objective.TIME
    memory_limits: MemoryLimits = MemoryLimits()  # noqa: RUF009 (frozen)

    @property
    def url(self) -> str:
        return f"sqlite:///{self.root}/history.db"

    def job(self, key: str) -> JobToRun:
        try_number = int(key.rsplit("/", 1)[-1]) if key.rsplit("/", 1)[-1].isdecimal() else 1
        base = str(self.root / "events")
        return JobToRun(
            self.cohort,
            key,
            try_number,
            self.mode,
            self.user_conf,
            base,
            self.statements,
            self.steering,
            self.submission,
            order_sensitive=self.order_sensitive,
            most_seconds=PATIENT,
            borrows=self.borrows,
            resources=self.resources,
            objective=self.objective,
            memory_limits=self.memory_limits,
        )

    def prepare(self, key: str) -> Turn:
        return prepare(self.job(key), self.url)

    def night(self, key: str, spark: Spark | None = None, *, failed: bool = False) -> Report:
        turn = self.prepare(key)
        (spark or Spark(broadcast=bool(turn.decision.in_force), seconds=4.0 if turn.decision.in_force else 7.0)).run(
            turn
        )
        return complete(turn, self.url, failed=failed)

    def details(self, key: str) -> Any:
        with Store.open(self.url) as store:
            return store.details(key)

    def stored(self, key: str) -> Any:
        with Store.open(self.url) as store:
            return store.run(key)
