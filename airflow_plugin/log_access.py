"""What event logs are read with, asked for by whoever reads the first of them: in the time that he has for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from airflow_plugin.engines.engine import Ask
from airflow_plugin.fail_open import failing_open

# Options of file systems that are secrets (s3fs, dbfs).
_SECRET = ("secret", "token")


class LogAccess(Mapping[str, Any]):
    """Options of a file system (fsspec) that an engine tells of when it is asked, once; {}, this machine's own, where it has
    none, or does not tell."""

    def __init__(self, ask: Ask | None, log: Any) -> None:
        self._ask, self._log = ask, log
        self._lock = Lock()
        self._told: Mapping[str, Any] | None = {} if ask is None else None

    def mask(self) -> None:
        """Have Airflow hide what is secret of what was told by now. It answers the task's own thread alone."""
        from airflow.sdk.log import mask_secret

        for value in _secrets(self._told or {}):
            mask_secret(value)

    def __getitem__(self, name: str) -> Any:
        return self._options()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options())

    def __len__(self) -> int:
        return len(self._options())

    def _options(self) -> Mapping[str, Any]:
        with self._lock:
            if self._told is None:
                found: Mapping[str, Any] = {}
                with failing_open(self._log, "read event logs with the task's own connection"):
                    found = self._ask() if self._ask else {}
                with failing_open(self._log, "hide in logs what event logs are read with"):
                    _mask_here(found)
                self._told = found
            return self._told


def _secrets(told: Mapping[str, Any]) -> list[str]:
    return [value for name in _SECRET if isinstance(value := told.get(name), str) and value]


def _mask_here(told: Mapping[str, Any]) -> None:
    """In this process at once, by whatever thread: its logs may tell before the task's own thread goes on."""
    from airflow.sdk._shared.secrets_masker import _secrets_masker

    for value in _secrets(told):
        _secrets_masker().add_mask(value)
