"""What the engines of Google Cloud share: how a request is refused, and how event logs in Cloud Storage are read."""

from __future__ import annotations

from typing import Any

from airflow_plugin.engines.engine import Ask
from airflow_plugin.engines.http_refusal import REFUSED
from tuner.eventlog.location import scheme_of

GS = frozenset({"gs"})


def is_google_refusal(error: Exception) -> bool:
    """Whether Google Cloud refused a request for what is in it, or its client did before it was sent.

    Errors of google.api_core have the HTTP status that theirs of gRPC stands for: 400 for INVALID_ARGUMENT.
    """
    return getattr(error, "code", None) in REFUSED or isinstance(error, (TypeError, ValueError))


def gs_access(operator: Any, url: str) -> Ask | None:
    """What asks for the options of gcsfs by which the operator's Google connection reads a URL; None where it has none, or for
    other URLs."""
    if scheme_of(url) not in GS or not operator.gcp_conn_id:
        return None
    from airflow.providers.google.common.hooks.base_google import GoogleBaseHook

    hook = GoogleBaseHook(gcp_conn_id=operator.gcp_conn_id, impersonation_chain=operator.impersonation_chain)
    return lambda: {"token": hook.get_credentials()}
