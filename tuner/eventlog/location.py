"""Where event logs lie: a path of this machine, a URL of any file system fsspec knows, or inside a zip file."""

from __future__ import annotations

import io
import posixpath
import re
import stat
import struct
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard
from urllib.parse import unquote, urlsplit

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.most_unpacked import TOO_MANY, most_unpacked
from tuner.eventlog.properties import names_secret, redact
from tuner.printable import printable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from upath import UPath

LogPath: TypeAlias = "Path | UPath | zipfile.Path"
ZIP_MAGIC = b"PK\x03\x04"
MAX_SHOWN = 1000
AMBIENT: Mapping[str, Any] = MappingProxyType({})
# Entries of a zip file lie no deeper; the directories that a deeper one implies can take gigabytes to list.
MAX_ZIP_DEPTH = 100
# What it takes to read a file system whose fsspec package is a part of it alone.
_CLIENTS = {
    "hdfs": "what hdfs takes (pip install 'airflow-spark-tuner[hdfs]'; JAVA_HOME; Hadoop's native library and "
    "CLASSPATH=$(hadoop classpath --glob)), name the logs by webhdfs://"
}
# A scheme of one letter is a drive of Windows; `hdfs:/logs` has no authority and is a URL all the same (Hadoop's Path).
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/|(file):", re.IGNORECASE)


def scheme_of(location: str) -> str:
    """The scheme of a URL, in small letters; "" for what is a path."""
    found = _SCHEME.match(location)
    return (found[1] or found[2]).lower() if found else ""


def local_path(location: str) -> Path | None:
    """The path of this machine that a path or `file:` URL names; None for a URL of another file system."""
    scheme = scheme_of(location)
    if scheme == "file":
        return Path(unquote(urlsplit(location).path))
    return None if scheme else Path(location)


def names_credentials(location: str) -> bool:
    """Whether a URL has a password or a signature in it; a user's or a container's name before the host is none."""
    if local_path(location) is not None:
        return False
    try:
        parts = urlsplit(location)
        password, _port = parts.password, parts.port
    except ValueError:  # A slash in a password has ended what is read as the port.
        return names_secret(location)
    return bool(password) or names_secret(parts.query)


def log_path(location: str, access: Mapping[str, Any] = AMBIENT) -> LogPath:
    """The place a path or URL names. Raises EventLogNotFoundError where nothing here speaks the URL's protocol.

    `access` are options of the file system's fsspec package, such as credentials: without any it finds those of this machine.
    """
    if (local := local_path(location)) is not None:
        return local
    scheme = scheme_of(location)
    try:
        # Most logs are on this machine, and it takes a tenth of a second to load.
        from upath import UPath

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of file systems that upath has no class of its own for: dbfs.
            path: UPath = UPath(location, **access)
        path.fs.invalidate_cache()  # What was listed before a job is not what it leaves.
    except Exception as error:
        # Others than these two: settings, libraries or a network that the package needs.
        do = "install" if isinstance(error, (ImportError, ValueError)) else "set up"
        client = _CLIENTS.get(scheme, f"the fsspec package for {scheme}")
        raise EventLogNotFoundError(f"{scheme}:…: {redact(str(error))}; {do} {client}, or copy the logs here") from None
    return path


def on_disk(path: LogPath) -> TypeGuard[Path]:
    """Whether a path is one of this machine's. A UPath is a Path too where Airflow 3.1 holds universal-pathlib at 0.2."""
    if not isinstance(path, Path):
        return False
    # Where nothing has loaded that, nothing is one.
    upath = sys.modules.get("upath")
    return upath is None or not isinstance(path, upath.UPath)


def shown(path: LogPath) -> str:
    """A path as it may be printed and stored: on one line, a URL without the credentials in it."""
    return printable(str(path)) if on_disk(path) else redact(str(path), MAX_SHOWN)


def inside_zip(file: Path | UPath) -> zipfile.Path | None:
    """The root of a zip file's entries; None where it is none, or its directory cannot be read."""
    try:
        with open_log(file) as raw:
            if raw.peek(4)[:4] != ZIP_MAGIC:
                return None
        archive = zipfile.ZipFile(file if on_disk(file) else open_log(file))
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError, struct.error):
        return None
    if any(name.count("/") > MAX_ZIP_DEPTH for name in archive.namelist()):
        return None
    if not on_disk(file):
        archive.filename = shown(file)  # what the paths of its entries begin with
    return zipfile.Path(archive)


class _RemoteFile(io.RawIOBase):
    """A file of another file system: reading it raises OSError, also for what its package has errors of its own for."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with _as_os_errors("read"):
            self._file.seek(offset, whence)  # paramiko's tells nothing
            return self.tell()

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: WriteableBuffer) -> int:
        with _as_os_errors("read"):
            return int(self._file.readinto(buffer))

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._file.close()


@contextmanager
def _as_os_errors(tried: str) -> Iterator[None]:
    """Whatever goes wrong as OSError: botocore, aiohttp, paramiko and zipfile have others."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(redact(f"cannot be {tried}: {type(error).__name__}: {error}")) from None


def open_log(file: LogPath) -> io.BufferedReader:
    """A buffered stream of a file's bytes. Raises OSError, also for what a remote file system has errors of its own for; so
    does reading it."""
    if on_disk(file):
        return file.open("rb")
    with _as_os_errors("opened"):  # zipfile: RuntimeError for an entry with a password
        raw: Any = file.open("rb")
    if not isinstance(file, zipfile.Path):
        return io.BufferedReader(_RemoteFile(raw))
    entry = file.root.getinfo(file.at)
    if entry.file_size > most_unpacked(entry.compress_size):
        raise OSError(TOO_MANY)
    return io.BufferedReader(raw)


@dataclass(frozen=True, slots=True)
class Entry:
    """What a directory holds, with what its listing told of it (None: nothing). Elsewhere each further question is a request."""

    path: LogPath
    told_dir: bool | None = None
    told_bytes: int | None = None

    @property
    def name(self) -> str:
        return self.path.name

    def is_dir(self) -> bool:
        return self.path.is_dir() if self.told_dir is None else self.told_dir

    def is_file(self) -> bool:
        return self.path.is_file() if self.told_dir is None else not self.told_dir

    def size_bytes(self) -> int:
        """Raises OSError where it is gone."""
        return size_bytes(self.path) if self.told_bytes is None else self.told_bytes


def entries_of(directory: LogPath) -> list[Entry]:
    """What a directory holds, by name."""
    return _by_name([Entry(path) for path in directory.iterdir()] if on_disk(directory) else _listed(directory))


def entries_in_zip(root: zipfile.Path) -> Callable[[LogPath], list[Entry]]:
    """What `entries_of` tells of each directory of a zip file, from one look through its names: `iterdir` takes one for each."""
    below: dict[str, list[str]] = {}
    for name in root.root.namelist():
        below.setdefault(posixpath.dirname(name.rstrip("/")), []).append(name)

    def listed(directory: LogPath) -> list[Entry]:
        assert isinstance(directory, zipfile.Path)
        return _by_name(Entry(zipfile.Path(root.root, name)) for name in below.get(directory.at.rstrip("/"), ()))

    return listed


def _by_name(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.name)


def _listed(directory: Any) -> Iterator[Entry]:
    own = directory.path.rstrip("/")
    for info in directory.fs.ls(directory.path, detail=True):
        path = str(info["name"]).rstrip("/")
        # An object store may have an object by the name of the directory.
        if path != own:
            size = info.get("size")
            yield Entry(
                directory / path.rpartition("/")[2], info["type"] == "directory", None if size is None else int(size)
            )


def size_bytes(file: LogPath) -> int:
    """A file's bytes. Raises OSError where it is gone."""
    if isinstance(file, zipfile.Path):
        return file.root.getinfo(file.at).file_size
    return int(file.stat().st_size)


def is_special(file: LogPath) -> bool:
    """Whether a path of this machine is a pipe, a socket or a device: reading it may never end."""
    if not on_disk(file):
        return False
    try:
        mode = file.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def identity(directory: LogPath) -> str:
    """The same for one directory however links lead to it. Raises OSError where it is gone."""
    if not on_disk(directory):
        return str(directory)
    found = directory.stat()
    return f"{found.st_dev}:{found.st_ino}"


def written_at(file: LogPath) -> float:
    """When a file was last written, in seconds since the epoch; 0 for what does not tell."""
    if isinstance(file, zipfile.Path):
        return 0.0
    found = file.stat()
    # A file of this machine tells nothing else.
    return in_seconds(found.st_mtime, getattr(found, "as_info", dict)())


def in_seconds(told: float, info: Mapping[str, Any]) -> float:
    """A time that a file system tells among its facts of a file. WebHDFS tells milliseconds, and fsspec passes them on."""
    return told / 1000 if told == info.get("modificationTime") else float(told)
