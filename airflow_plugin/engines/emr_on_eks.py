"""EMR on EKS: EmrContainerOperator."""

from __future__ import annotations

from typing import Any

from airflow_plugin.engines.emr_request import EmrRequest


class EmrOnEks(EmrRequest):
    """A job run of a virtual cluster."""

    title = "EMR on EKS"
    service, driver = "emr-containers", "sparkSubmitJobDriver"

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_completion or operator.deferrable)


ENGINE = EmrOnEks()
