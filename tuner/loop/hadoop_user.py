"""As whom a job's Hadoop client writes, where somebody named him, and whether that is who writes here."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from getpass import getuser
from pathlib import Path

from tuner.spark.properties import HADOOP_USER, PRINCIPALS

# What a driver elsewhere has in its environment.
_OF_DRIVERS = (f"spark.kubernetes.driverEnv.{HADOOP_USER}", f"spark.yarn.appMasterEnv.{HADOOP_USER}")
_CACHE, _FILE = "KRB5CCNAME", "FILE:"
# A credential cache begins with its version; what versions 3 and 4 differ in is a header (MIT krb5, "Credential cache file
# format").
_VERSION_3, _VERSION_4 = b"\x05\x03", b"\x05\x04"
_MOST_BYTES = 4096


def named_user(runs_as: str, conf: Mapping[str, str]) -> str:
    """Whom a job's driver is said to be; "" where nobody said. Hadoop takes a principal's first part for its name
    (auth_to_local's default)."""
    principal = next((conf[name] for name in PRINCIPALS if conf.get(name)), "")
    in_environment = next((conf[name] for name in _OF_DRIVERS if conf.get(name)), "")
    return runs_as or re.split("[/@]", principal)[0] or in_environment


def writes_as(user: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether what is made by this process is that user's."""
    return user in (environ.get(HADOOP_USER) or _user_here(), ticket_holder(environ))


def ticket_holder(environ: Mapping[str, str] = os.environ) -> str:
    """The first part of the principal whose Kerberos ticket this process has in a file; "" for none, and for other caches."""
    place = environ.get(_CACHE) or f"/tmp/krb5cc_{os.getuid()}"  # noqa: S108
    try:
        with Path(place.removeprefix(_FILE)).open("rb") as file:
            return _default_principal(file.read(_MOST_BYTES))
    except (OSError, ValueError, struct.error):
        return ""


def _default_principal(cache: bytes) -> str:
    version, position = cache[:2], 2
    if version == _VERSION_4:
        position += 2 + struct.unpack_from(">H", cache, position)[0]
    elif version != _VERSION_3:
        raise ValueError("no credential cache")
    _kind, parts = struct.unpack_from(">II", cache, position)
    _realm, position = _text(cache, position + 8)
    return _text(cache, position)[0] if parts else ""


def _text(cache: bytes, position: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">I", cache, position)
    end = position + 4 + length
    if end > len(cache):
        raise ValueError("the credential cache breaks off")
    return cache[position + 4 : end].decode(), end


def _user_here() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # A user id without a name, as containers have it.
        return ""
