"""Directives that are too long for a property, in a directory of their run: its driver can read there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit
from zipfile import Path as ZipPath

from tuner.errors import TunerError
from tuner.eventlog.location import local_path, log_path, on_disk
from tuner.eventlog.properties import redact
from tuner.loop.event_log_place import EventLogPlace, of_key, own_directory
from tuner.loop.turn import JobToRun
from tuner.whole_file import put_whole
from tuner.within_time import within

# Readers of event logs pass over hidden files.
FILE_NAME = ".spark-tuner-directives.json"
MAX_SECONDS = 15.0
_S3 = frozenset({"s3", "s3a", "s3n"})


def shared_with(job: JobToRun, place: EventLogPlace, jar: str) -> Callable[[str], str] | None:
    """What puts directives where the driver of a run reads them: beside its log, where that has a directory of its own, else in
    one below the base, which is made then. None where it leaves no log, or the base is one of this machine. `jar` is the agent's,
    where Spark does not start before it has fetched that."""
    here = local_path(job.event_log_base) is not None and not job.base_is_shared
    return None if here or not place.directory else partial(_share, job, place, jar)


def _host(url: str) -> tuple[str, str]:
    """The kind of file system that a URL is of, and what of it, such as a bucket."""
    parts = urlsplit(url)
    return "s3" if parts.scheme in _S3 else parts.scheme or "file", parts.netloc


def _share(job: JobToRun, place: EventLogPlace, jar: str, text: str) -> str:
    directory, obstacle = place.directory, ""
    if not directory.endswith(of_key(job.key)):
        directory, obstacle = own_directory(job)
        if not obstacle and (not jar or _host(jar) != _host(directory)):
            # Spark does not start without its files, and this driver's log, which would show that it gets at them, is elsewhere.
            obstacle = "it fetches nothing from there: have agent_jar there, too, by the same kind of URL"
    if obstacle:
        raise TunerError(
            f"{redact(directory)}: the driver may not get at directives there ({obstacle}); set event_log_base to a URL that it "
            "can read and this machine can write to"
        )

    def write() -> None:
        file = log_path(directory, job.access) / FILE_NAME
        assert not isinstance(file, ZipPath)
        if on_disk(file):
            # The driver, another user maybe, does not start without it.
            put_whole(file, text.encode(), 0o644)
        else:
            file.write_text(text, encoding="utf-8")

    try:
        within(MAX_SECONDS, write)
    except Exception as error:
        raise TunerError(
            f"{redact(directory)}: the directives cannot be written there ({redact(str(error))}); let this machine write to it"
        ) from error
    return f"{directory}/{FILE_NAME}"
