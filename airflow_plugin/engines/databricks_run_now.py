"""Databricks: DatabricksRunNowOperator, of which nothing is tuned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_plugin.engines.databricks import hook_call
from airflow_plugin.engines.engine import Additions, Call, Engine, Request, SparkJob


class DatabricksRunNow(Engine):
    """A run of a job that is defined in Databricks, its clusters with it."""

    title = "Databricks"

    def calls(self, operator: Any) -> Sequence[Call]:
        return (hook_call(operator, "run_now"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        return ()

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        return {}

    def left_alone(self, operator: Any, request: Request) -> str:
        return "the job is defined in Databricks, and its clusters with it"

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_termination)


ENGINE = DatabricksRunNow()
