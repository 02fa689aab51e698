"""Whether Kubernetes refused an object for what is in it."""

from __future__ import annotations

# Bad Request, Forbidden (by a webhook), Request Entity Too Large, Unprocessable Entity.
_REFUSED = frozenset({400, 403, 413, 422})


def is_kubernetes_refusal(error: Exception) -> bool:
    """Whether one without the additions may pass."""
    from kubernetes.client.exceptions import ApiException

    return isinstance(error, ApiException) and error.status in _REFUSED
