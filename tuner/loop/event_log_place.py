"""Where a run's event log goes: nowhere that could keep the job from starting, and nowhere but where the user has it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tuner.eventlog.location import local_path, log_path, names_credentials, on_disk, scheme_of
from tuner.eventlog.properties import redact
from tuner.loop.hadoop_user import named_user, writes_as
from tuner.loop.make_below import OPEN, make_below
from tuner.loop.turn import JobToRun
from tuner.spark.master import master_of
from tuner.steering.agent.submission import Submission
from tuner.steering.hadoop_scheme import has_file_system, is_object_store
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED
from tuner.within_time import within

if TYPE_CHECKING:
    from upath import UPath

# Of spark.eventLog.dir (EventLoggingListener.DEFAULT_LOG_DIR).
DEFAULT_DIRECTORY = "/tmp/spark-events"  # noqa: S108
# A job waits no longer for what another file system says.
MAX_WAIT_SECONDS = 15.0
# Spark fails to start where it cannot write the log's first lines.
PROBE_BYTES = 1 << 12
MAX_SAID = 150
# Hadoop knows an authority for these; what is named without one elsewhere has no bucket.
_WITHOUT_AUTHORITY = frozenset({"dbfs", "har", "hdfs", "maprfs", "viewfs"})
_WEB_HDFS = frozenset({"swebhdfs", "webhdfs"})
_WITH_OWNERS = frozenset({"hdfs", "maprfs", "viewfs"}) | _WEB_HDFS
# Where spark-submit mounts a volume for the driver on Kubernetes (KubernetesVolumeUtils).
_MOUNT = re.compile(r"(spark\.kubernetes\.driver\.volumes\.[^.]+\.[^.]+\.mount)\.path")
# A directory in an object store is there as soon as something is in it. Readers of logs pass over hidden files.
_KEEP = ".spark-tuner"


@dataclass(frozen=True, slots=True)
class EventLogPlace:
    """`directory` is where the log is found after the run, `conf` what brings it there; no directory: `why` says that
    none can be had, and what to do."""

    directory: str = ""
    conf: Mapping[str, str] = field(default_factory=dict)
    why: str = ""


def event_log_place(job: JobToRun) -> EventLogPlace:
    """Where the user has his event log; where he has none, a directory for this try alone, which is made. Nowhere where its URL
    has credentials, and that is not used: it is stored with the run."""
    if _is(job.user_conf.get(EVENT_LOG_ENABLED), "false"):
        return EventLogPlace(why=f"the job sets {EVENT_LOG_ENABLED}=false, nothing can be measured")
    named, placed = _named(job)
    if not names_credentials(named):
        return placed()
    return EventLogPlace(
        why=f"the URL of the event log, {redact(named)}, has credentials in it, which would be stored with the run; "
        "leave them out, and let Spark and this machine find them elsewhere (spark.hadoop.fs.…, a connection, the environment)"
    )


def _named(job: JobToRun) -> tuple[str, Callable[[], EventLogPlace]]:
    """The URL or path that is named for the log, and what makes a place of it."""
    conf = {**job.submission.conf, **job.user_conf}
    if _is(conf.get(EVENT_LOG_ENABLED), "true"):
        own = conf.get(EVENT_LOG_DIR, DEFAULT_DIRECTORY)
        return own, partial(_of_user, own, job)
    if EVENT_LOG_DIR in job.user_conf:
        own = job.user_conf[EVENT_LOG_DIR]
        return own, partial(_not_enabled, own, job)
    return job.event_log_base, partial(_below_base, job)


def of_key(key: str) -> str:
    """How the name of a directory ends that holds the logs of one try alone."""
    return "-" + hashlib.sha256(key.encode(errors="replace")).hexdigest()[:8]


def _is(value: str | None, word: str) -> bool:
    return (value or "").strip().lower() == word


def _of_user(location: str, job: JobToRun) -> EventLogPlace:
    """The user has his log on: it stays as he has it, and he answers for its directory."""
    if obstacle := _reading_obstacle(location, job):
        return EventLogPlace(
            why=f"the event log goes to {EVENT_LOG_DIR}={redact(location)}, which cannot be read from this machine "
            f"({obstacle}); set {EVENT_LOG_DIR} to a place that driver and this machine share"
        )
    return EventLogPlace(_absolute(location))


def _not_enabled(location: str, job: JobToRun) -> EventLogPlace:
    """The user named a directory that Spark did not use so far: his job must start with it, too."""
    if obstacle := _writing_obstacle(location, job):
        return EventLogPlace(
            why=f"no event log can be had in {EVENT_LOG_DIR}={redact(location)} ({obstacle}): Spark might not start with "
            f"it; make it a directory that Spark can write to, set {EVENT_LOG_ENABLED}=true if it is one, or leave it out"
        )
    return EventLogPlace(_absolute(location), {EVENT_LOG_ENABLED: "true"})


def _below_base(job: JobToRun) -> EventLogPlace:
    directory, obstacle = own_directory(job)
    if obstacle:
        return EventLogPlace(
            why=f"no event log can be had below {redact(job.event_log_base)} ({obstacle}): Spark might not start with it; set "
            "event_log_base to a directory or URL that Spark can write to and this machine can read"
        )
    return EventLogPlace(directory, {EVENT_LOG_ENABLED: "true", EVENT_LOG_DIR: directory})


def own_directory(job: JobToRun) -> tuple[str, str]:
    """A directory below the base for this try alone, which is made, and why Spark might not get at it ("" where it does)."""
    base = job.event_log_base.rstrip("/") or job.event_log_base
    parts = [_directory_name(part) for part in (job.cohort, *job.key.split("/"))]
    parts[-1] += of_key(job.key)
    local = local_path(base)
    directory = "/".join([base, *parts]) if local is None else Path(local.absolute(), *parts).as_uri()
    return directory, _base_obstacle(job) or _writing_obstacle(directory, job, make=True)


def _base_obstacle(job: JobToRun) -> str:
    submission = job.submission
    base = local_path(job.event_log_base)
    if not job.event_log_base:
        return "nothing is named, and there is no home directory"
    if names_credentials(job.event_log_base):
        return "its URL has credentials in it"
    if base is None:
        # Who Hadoop's client is matters there. A shared disk has users of its own, and lets all of them write.
        user = "" if is_object_store(scheme_of(job.event_log_base)) else _named_user(job)
        if not user or writes_as(user):
            return ""
        return (
            f"the job runs as {user}, who may not write in what is made here; let {EVENT_LOG_DIR} name a place of his"
        )
    if submission.schemes is not None and "file" not in submission.schemes:
        return f"a path of this machine is none of {submission.platform}'s"
    if submission.why_away and not job.base_is_shared:
        return f"{submission.why_away}, and the driver may run on another machine"
    if submission.is_in_own_pod and not _is_mounted(base.absolute(), submission.conf):
        return "no volume is mounted there for the driver to write to"
    return ""


def _named_user(job: JobToRun) -> str:
    return named_user(job.runs_as, {**job.submission.conf, **job.user_conf})


def _is_mounted(directory: PurePath, conf: Mapping[str, str]) -> bool:
    """Whether a volume that the driver may write to brings a directory into its pod."""
    mounts = [match[1] for name in conf if (match := _MOUNT.fullmatch(name))]
    return any(
        directory.is_relative_to(conf[f"{mount}.path"])
        for mount in mounts
        if not _is(conf.get(f"{mount}.readOnly"), "true")
    )


def _directory_name(part: str) -> str:
    # Hadoop's Path takes neither colons nor plus signs as they come in run ids; a leading dot hides or climbs.
    return re.sub(r"[^A-Za-z0-9._-]+", "_", part)[:80].lstrip(".") or "_"


def _absolute(location: str) -> str:
    local = local_path(location)
    return location if local is None else local.absolute().as_uri()


def _reading_obstacle(location: str, job: JobToRun) -> str:
    """Why the logs there cannot be read from here. What is not there at all is for Spark to report."""
    if "${" in location:
        return "only Spark knows what its variables stand for"
    local = local_path(location)
    if local is not None:
        away = job.submission.why_away
        return f"{away}, and there is no such directory here" if away and not local.is_dir() else ""
    try:
        within(MAX_WAIT_SECONDS, lambda: _kind(_remote(location, job)))
    except Exception as error:
        return _said(error)
    return ""


def _writing_obstacle(location: str, job: JobToRun, *, make: bool = False) -> str:
    """Why Spark might fail to start with its log there; `make` says that the directory is the tuner's own to make."""
    if "${" in location:
        return "only Spark knows what its variables stand for"
    local = local_path(location)
    try:
        if local is not None:
            away = job.submission.why_away
            if away and not make:
                return f"{away}, and the driver may run on another machine"
            _try_local(local, below=local_path(job.event_log_base) if make else None, for_others=bool(away))
        else:
            _require_spoken(location, job.submission)
            for_others = make and _may_be_anothers(scheme_of(location), job)
            tried = partial(_try_remote, scheme=scheme_of(location), make=make, for_others=for_others)
            within(MAX_WAIT_SECONDS, lambda: tried(_remote(location, job)))
    except Exception as error:
        return _said(error)
    return ""


def _may_be_anothers(scheme: str, job: JobToRun) -> bool:
    """Whether a driver may write there as somebody whom nobody named: a service's user, an image's. What webhdfs:// makes without
    Kerberos belongs to its server's own user, whoever asks."""
    if scheme not in _WITH_OWNERS:
        return False
    submission = job.submission
    is_elsewhere = submission.in_cluster_mode and not master_of(submission.conf).startswith("yarn")
    return scheme in _WEB_HDFS or ((bool(submission.platform) or is_elsewhere) and not _named_user(job))


def _try_local(directory: Path, *, below: Path | None, for_others: bool) -> None:
    """`below` is where directories begin that are the tuner's own to make."""
    if below is not None:
        make_below(below.absolute(), directory.relative_to(below.absolute()).parts, for_others=for_others)
    with NamedTemporaryFile(dir=directory, prefix=_KEEP) as probe:
        probe.write(bytes(PROBE_BYTES))


def _require_spoken(url: str, submission: Submission) -> None:
    scheme = scheme_of(url)
    if not has_file_system(scheme, submission):
        if submission.platform:
            raise OSError(f"{submission.platform} has no file system for {scheme}")
        raise OSError(f"the Spark at hand has no file system for {scheme}: its connector is not among its jars")
    if not urlsplit(url).netloc and scheme not in _WITHOUT_AUTHORITY:
        raise OSError("the URL names no bucket or host")


def _remote(url: str, job: JobToRun) -> UPath:
    from upath import UPath

    path = log_path(url, job.access)
    assert not on_disk(path)
    assert isinstance(path, UPath)
    return path


def _try_remote(directory: UPath, scheme: str, *, make: bool, for_others: bool) -> None:
    """Raises where the directory is none, or cannot be made."""
    if make:
        # In an object store this would make buckets, and nothing else.
        if not is_object_store(scheme):
            directory.fs.makedirs(directory.path, exist_ok=True)
            if for_others:
                _let_others_write(directory)
        (directory / _KEEP).write_bytes(b"")
        directory.fs.invalidate_cache()
    if (kind := _kind(directory)) != "directory":
        raise OSError("no such directory" if kind is None else f"it is a {kind}")


def _let_others_write(directory: UPath) -> None:
    """Raises where no client here can say so: the service may have a user of its own."""
    change = getattr(directory.fs, "chmod", None)
    if change is None:
        raise OSError(
            f"the driver may be another user, whom this client cannot let write there: webhdfs:// can, or let {EVENT_LOG_DIR} "
            "name a place of his"
        )
    change(directory.path, f"{OPEN:o}")


def _kind(path: UPath) -> str | None:
    """What is there: directory or file; None for nothing. Raises what keeps it from being told."""
    try:
        return str(path.fs.info(path.path)["type"])
    except FileNotFoundError:
        return None


def _said(error: Exception) -> str:
    return redact(" ".join(str(getattr(error, "strerror", None) or error).split()), MAX_SAID) or type(error).__name__
