"""Directives that are too long for a property, beside the event log of their run: its driver can read and write there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from zipfile import Path as ZipPath

from tuner.errors import TunerError
from tuner.eventlog.location import local_path, log_path, on_disk
from tuner.eventlog.properties import redact
from tuner.loop.event_log_place import EventLogPlace, of_key
from tuner.loop.turn import JobToRun
from tuner.within_time import within

# Readers of event logs pass over hidden files.
FILE_NAME = ".spark-tuner-directives.json"
MAX_SECONDS = 15.0


def shared_with(job: JobToRun, place: EventLogPlace) -> Callable[[str], str] | None:
    """What puts directives where the driver of a run reads them; None where its log goes to no directory of its own, or to one of
    this machine."""
    here = local_path(place.directory) is not None and not job.base_is_shared
    return (
        None if here or not place.directory.endswith(of_key(job.key)) else partial(_share, place.directory, job.access)
    )


def _share(directory: str, access: Mapping[str, Any], text: str) -> str:
    def write() -> None:
        file = log_path(directory, access) / FILE_NAME
        assert not isinstance(file, ZipPath)
        file.write_text(text, encoding="utf-8")
        if on_disk(file):
            file.chmod(0o644)  # The driver, another user maybe, does not start without it, whatever the umask is here.

    try:
        within(MAX_SECONDS, write)
    except Exception as error:
        raise TunerError(
            f"{redact(directory)}: the directives cannot be written there ({redact(str(error))}); let this machine write to it"
        ) from error
    return f"{directory}/{FILE_NAME}"
