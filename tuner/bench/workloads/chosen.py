"""Queries as a user names them."""

from __future__ import annotations

import re
from collections.abc import Collection

from tuner.errors import TunerError

_ZEROS = re.compile(r"^q?0*(?=\d)")


def chosen(there: Collection[str], names: Collection[str], where: str) -> list[str]:
    """Those of `there` that `names` ask for, in the order they are there; all if nothing is asked for.

    `Q7`, `7` and `07` are `q07` where that is there. TunerError for an unknown query.
    """
    by_short = {_short(name): name for name in there}
    asked = {name: name if name in there else by_short.get(_short(name)) for name in names}
    if unknown := [name for name, found in asked.items() if found is None]:
        raise TunerError(f"{where}: no query {', '.join(unknown)}; there are {', '.join(there)}")
    return [name for name in there if not names or name in asked.values()]


def _short(name: str) -> str:
    return _ZEROS.sub("", name.lower())
