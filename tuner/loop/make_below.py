"""Directories below a base in which others may write, too: made one by one, and never by way of a link that may be another's."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from tuner.own_files import make_directory

# A driver elsewhere may be another user (YARN's own, a container's): modes as Spark's security page asks for of directories of
# event logs. Each log is its writer's.
OPEN, _PASSABLE = 0o1777, 0o711
_ENTERED_BY_OTHERS, _WRITTEN_BY_OTHERS = 0o011, 0o022
_ROOT = 0
# Linux opens a directory so for whoever may pass through it, but not list it.
_ENTER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)


def make_below(base: Path, parts: Sequence[str], *, for_others: bool) -> None:
    """Makes what is missing of a directory, whose path below the base is `parts`; `for_others`: so that any user may write in it.

    A base that was there is its owner's business, and so is what lies above it, and what another user has made below it. Raises
    OSError, also where that is closed to others who must get through, and where a part is a link that another user may have put
    there: he would choose the directory that is opened to all.
    """
    is_new = not base.exists()
    with suppress(FileExistsError):  # What else it is says the system as it is opened.
        make_directory(base)
    with ExitStack() as opened:
        here = os.open(base, _ENTER)
        opened.callback(os.close, here)
        if for_others and is_new:
            _let_through(here)
        for depth in range(1, len(parts) + 1):
            here, is_made = _entered(parts[:depth], here)
            opened.callback(os.close, here)
            if not for_others:
                continue
            if is_made or os.fstat(here).st_uid == os.geteuid():
                _let_through(here) if depth < len(parts) else _set_mode(here, OPEN)
            elif os.geteuid() == _ROOT and not os.fstat(here).st_mode & _ENTERED_BY_OTHERS:
                # Who is not root got in as others do: by a group, say, or since the share shows other modes than it has.
                raise OSError(f"its directory {'/'.join(parts[:depth])} is another user's and closed")


def _entered(parts: Sequence[str], above: int) -> tuple[int, bool]:
    """The last of the parts, opened, and whether it was made just now."""
    stops_at_links = 0 if _is_own_link(parts[-1], above) else os.O_NOFOLLOW
    enter = partial(os.open, parts[-1], _ENTER | stops_at_links, dir_fd=above)
    try:
        with suppress(FileNotFoundError):
            return enter(), False
        try:
            os.mkdir(parts[-1], dir_fd=above)
        except FileExistsError:  # By another task meanwhile.
            return enter(), False
        return enter(), True
    except OSError as error:
        if _is_link(parts[-1], above):
            raise OSError(f"remove the link that lies in place of its directory {'/'.join(parts)}") from error
        raise


def _is_link(name: str, above: int) -> bool:
    with suppress(OSError):
        return stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)
    return False


def _is_own_link(name: str, above: int) -> bool:
    """Whether it is a link that this user or root put there, where nobody else could."""
    if not _is_link(name, above):
        return False
    link, directory = os.stat(name, dir_fd=above, follow_symlinks=False), os.fstat(above)
    return {link.st_uid, directory.st_uid} <= {_ROOT, os.geteuid()} and not directory.st_mode & _WRITTEN_BY_OTHERS


def _let_through(directory: int) -> None:
    mode = stat.S_IMODE(os.fstat(directory).st_mode)
    if mode & _PASSABLE != _PASSABLE:
        _set_mode(directory, mode | _PASSABLE)


def _set_mode(directory: int, mode: int) -> None:
    with suppress(OSError):  # A mounted bucket has no modes, and keeps nobody out.
        os.chmod(".", mode, dir_fd=directory)
