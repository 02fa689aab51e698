"""Databricks: the task that launches a DatabricksWorkflowTaskGroup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_plugin.engines.databricks import Databricks, hook_call
from airflow_plugin.engines.engine import Call, Request


class DatabricksWorkflow(Databricks):
    """It creates the group's job, or resets it, and starts it; the group's other tasks wait for their parts of that run."""

    def calls(self, operator: Any) -> Sequence[Call]:
        return (hook_call(operator, "create_job"), hook_call(operator, "reset_job"))

    def names_its_job(self, operator: Any, request: Request) -> bool:
        return False

    def waits(self, operator: Any) -> bool:
        return False


ENGINE = DatabricksWorkflow()
