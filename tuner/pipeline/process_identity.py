"""Which process this is, and whether one of this machine has ended."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

_PROC = Path("/proc")
# In `man proc_pid_stat` the 22nd field; a command in parentheses, which may hold blanks, is the second.
_START_FIELD = 22 - 3


class ProcessIdentity(msgspec.Struct, frozen=True):
    """A process, told from all others: of other machines, of other containers of this one, and of those that had its number.

    `place` is the boot and the namespace of numbers; both it and `started`, in ticks since the boot, are empty where no
    /proc tells them.
    """

    host: str
    number: int
    place: str = ""
    started: str = ""


def this_process() -> ProcessIdentity:
    number = os.getpid()
    return ProcessIdentity(os.uname().nodename, number, _place(), _started(number))


def has_ended(process: ProcessIdentity) -> bool:
    """False, too, for one that cannot be seen from here."""
    return bool(process.place) and process.place == _place() and process.started != _started(process.number)


def _place() -> str:
    try:
        boot = (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text().strip()
        return f"{boot} {(_PROC / 'self' / 'ns' / 'pid').readlink()}"
    except OSError:
        return ""


def _started(number: int) -> str:
    """Empty where there is no such process."""
    try:
        return (_PROC / str(number) / "stat").read_text().rpartition(")")[2].split()[_START_FIELD]
    except OSError:
        return ""
