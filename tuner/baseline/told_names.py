"""What a cohort's queries are called where others may read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tuner.model.run import Run
from tuner.words.query_names import names_in

# A job may describe a query by its text, and that may hold values.
_SQL = re.compile(
    r"[\s(]*(?:/\*|--|(?:select|with|insert|create|replace|merge|update|delete|from|table|values|cache|explain|alter)\b)",
    re.IGNORECASE,
)


class ToldNames:
    """By fingerprint: as its job describes it, or by what it joins where that is its SQL."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._names, self._plain = names_in(runs), names_in(runs, described=False)

    def __getitem__(self, query: str) -> str:
        name = self._names[query]
        return self._plain[query] if _SQL.match(name) else name

    def of(self, queries: Iterable[str]) -> dict[str, str]:
        return {query: self[query] for query in queries}
