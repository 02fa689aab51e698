"""EMR Serverless: EmrServerlessStartJobOperator."""

from __future__ import annotations

from airflow_plugin.engines.emr_request import EmrRequest


class EmrServerless(EmrRequest):
    """A job run of an application that is deployed already; what that sets for all its runs is not seen."""

    title = "EMR Serverless"
    driver = "sparkSubmit"


ENGINE = EmrServerless()
