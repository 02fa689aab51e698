"""A directory that one command at a time works in."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tuner.errors import TunerError

# File systems that know no locks: there it is up to who uses them.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS})


@contextmanager
def held_file(file: Path, who: str) -> Iterator[None]:
    """While it lasts, nobody else holds the file, which is made if it is not there; it ends with its process at the latest.

    TunerError where somebody does: `who` says who that is. Raises OSError.
    """
    with file.open("ab") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TunerError(
                f"{file.parent}: {who} runs there; wait until it has ended, or give another --directory"
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield
