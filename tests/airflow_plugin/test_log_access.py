"""What event logs are read with is hidden in logs as soon as it is told."""

from __future__ import annotations

import logging
from threading import Thread
from typing import Any

import pytest
from airflow.sdk._shared.secrets_masker import redact

from airflow_plugin.log_access import LogAccess

LOG = logging.getLogger(__name__)
TOLD = {"key": "AKIA", "secret": "x7Gq2-of-log-access", "token": None, "client_kwargs": {}}


def test_by_whatever_thread() -> None:
    access = LogAccess(lambda: TOLD, LOG)
    told: list[Any] = []
    thread = Thread(target=lambda: told.append(dict(access)))
    thread.start()
    thread.join()
    assert told == [TOLD] and redact(f"with {TOLD['secret']} of {TOLD['key']}") == "with *** of AKIA"


def test_what_cannot_be_hidden_is_warned_of(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.delattr("airflow.sdk._shared.secrets_masker._secrets_masker")
    assert dict(LogAccess(lambda: TOLD, LOG)) == TOLD
    assert "could not hide in logs what event logs are read with (ImportError" in caplog.text


def test_what_cannot_be_told_is_nothing() -> None:
    def refused() -> dict[str, Any]:
        raise PermissionError("no")

    assert dict(LogAccess(refused, LOG)) == dict(LogAccess(None, LOG)) == {}
