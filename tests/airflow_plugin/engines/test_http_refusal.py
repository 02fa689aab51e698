"""Which errors of HTTP clients are answers to what is in a request."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import requests
from tenacity import RetryError

from airflow_plugin.engines.http_refusal import is_http_refusal


def answered(status: int) -> requests.HTTPError:
    response: Any = SimpleNamespace(status_code=status)
    return requests.HTTPError(response=response)


def raised_for(error: BaseException, *causes: BaseException) -> BaseException:
    """An error, for one that was raised for another, and so on."""
    first = error
    for cause in causes:
        error.__cause__ = cause
        error = cause
    return first


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (answered(400), True),
        (answered(413), True),
        (raised_for(RuntimeError(), answered(422)), True),
        (answered(429), False),
        (answered(503), False),
        (TypeError("not JSON"), True),
        (raised_for(RuntimeError(), ValueError("NaN")), True),
        (requests.ConnectionError(), False),
        (requests.JSONDecodeError("what?", "", 0), False),
        (raised_for(requests.JSONDecodeError("what?", "", 0), ValueError("what?")), False),
        (raised_for(RuntimeError(), RetryError(None), answered(400)), False),  # type: ignore[arg-type]
    ],
)
def test_what_is_a_refusal(error: BaseException, refused: bool) -> None:
    assert is_http_refusal(error) is refused
