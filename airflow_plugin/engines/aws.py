"""What the engines of AWS share: how a request is refused, and how event logs in S3 are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_plugin.engines.engine import Ask, Call, Request, is_own
from tuner.eventlog.location import scheme_of

S3 = frozenset({"s3", "s3a", "s3n"})
# Of the Spark services' StartJobRun, AddJobFlowSteps and Glue's StartJobRun: answers to what is in a request.
_REFUSED = frozenset(
    {
        "BadRequestException",
        "InvalidInputException",
        "InvalidRequestException",
        "ValidationError",
        "ValidationException",
    }
)


def api_call(operator: Any, service: str, operation: str) -> Call:
    """An operation of a service of AWS, by a client of an operator's hook. Its request are the operation's parameters.

    Clients have classes of their own, made with each; all make their calls in one place (botocore.client.BaseClient).
    """
    from botocore.client import BaseClient

    is_own_client = is_own(operator, "hook", "conn")

    def is_meant(arguments: Request) -> bool:
        is_it = (
            arguments["operation_name"] == operation and arguments["self"].meta.service_model.service_name == service
        )
        return is_it and is_own_client(arguments)

    return Call(BaseClient, "_make_api_call", is_meant, "api_params")


def is_aws_refusal(error: Exception) -> bool:
    """Whether AWS refused a request for what is in it, or its client did before it was sent."""
    from botocore.exceptions import ClientError, ParamValidationError

    if isinstance(error, ClientError):
        return error.response.get("Error", {}).get("Code") in _REFUSED
    return isinstance(error, (ParamValidationError, TypeError, ValueError))


def s3_access(operator: Any, url: str) -> Ask | None:
    """What asks for the options of s3fs by which the operator's AWS connection reads a URL; None where it has none, or for other
    URLs."""
    if scheme_of(url) not in S3 or not operator.aws_conn_id:
        return None
    from airflow.providers.amazon.aws.hooks.s3 import S3Hook

    hook = S3Hook(aws_conn_id=operator.aws_conn_id, region_name=operator.region_name, verify=operator.verify)
    client = {"region_name": hook.region_name, "endpoint_url": hook.conn_config.get_service_endpoint_url("s3")}

    def ask() -> Mapping[str, Any]:
        # Not by get_credentials: that asks Airflow to mask them.
        found = hook.get_session().get_credentials()
        if found is None:
            return {}
        credentials = found.get_frozen_credentials()
        return {
            "key": credentials.access_key,
            "secret": credentials.secret_key,
            "token": credentials.token,
            "client_kwargs": {name: value for name, value in client.items() if value},
        }

    return ask
