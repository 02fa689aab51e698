"""EMR Serverless: EmrServerlessStartJobOperator."""

from __future__ import annotations

from typing import Any

from airflow_plugin.engines.emr_request import EmrRequest
from tuner.units import GIB


class EmrServerless(EmrRequest):
    """A job run of an application that is deployed already; what that sets for all its runs is not seen."""

    title = "EMR Serverless"
    service, driver = "emr-serverless", "sparkSubmit"
    # Of its workers, by their vCPUs (EMR Serverless User Guide, "Supported worker configurations").
    shapes = ((1, 8 * GIB), (2, 16 * GIB), (4, 30 * GIB), (8, 60 * GIB), (16, 120 * GIB))

    def has_token(self, operator: Any) -> bool:
        # Its attribute has the operator's own, too, from when the task was parsed on.
        given = getattr(operator, "_BaseOperator__init_kwargs", {})
        config = getattr(operator, "config", None) or {}
        return bool(given.get("client_request_token") or config.get("clientToken"))


ENGINE = EmrServerless()
