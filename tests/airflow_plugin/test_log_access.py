"""What event logs are read with is hidden in logs as soon as it is told."""

from __future__ import annotations

import logging
from threading import Thread
from typing import Any

import airflow.sdk.log
import pytest

from airflow_plugin.log_access import LogAccess

LOG = logging.getLogger(__name__)


@pytest.mark.skipif(not hasattr(airflow.sdk.log, "_secrets_masker"), reason="this Airflow keeps its masker elsewhere")
def test_by_whatever_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden: list[str] = []

    class Masker:
        def add_mask(self, value: str) -> None:
            hidden.append(value)

    monkeypatch.setattr("airflow.sdk.log._secrets_masker", Masker)
    access = LogAccess(lambda: {"key": "AKIA", "secret": "hunter2", "token": None, "client_kwargs": {}}, LOG)
    told: list[Any] = []
    thread = Thread(target=lambda: told.append(dict(access)))
    thread.start()
    thread.join()
    assert (hidden, told[0]["key"]) == (["hunter2"], "AKIA")


def test_what_cannot_be_told_is_nothing() -> None:
    def refused() -> dict[str, Any]:
        raise PermissionError("no")

    assert dict(LogAccess(refused, LOG)) == dict(LogAccess(None, LOG)) == {}
