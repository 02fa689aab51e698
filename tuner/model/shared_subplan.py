"""Groups that a query made several times of the same relations, and could make once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SharedSubplan:
    """An aggregate that a query has several times over the same joins, for other values of its filters or other columns.

    `join` is the signature of the first join below it, `relations` are all that it reads. It ran `times` times, each time of
    `scanned_rows`; `rows` are those that all of them handed to their shuffles. `reused` says that all but one read what that one
    had shuffled. `saved_amounts` is the work that making it once leaves out, `added_amounts` what it takes each to read the
    groups of all of them, both by `Resource`. `adds_bigint` says that a sum of BIGINT is among what would be made once.
    """

    join: str
    relations: tuple[str, ...]
    times: int
    scanned_rows: int = 0
    rows: int = 0
    reused: bool = False
    saved_amounts: Mapping[str, float] = field(default_factory=dict)
    added_amounts: Mapping[str, float] = field(default_factory=dict)
    adds_bigint: bool = False
