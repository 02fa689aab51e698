"""Texts that are no directives, or directives of what is not there, for a query of a shop that joins five tables."""

from __future__ import annotations

import json
from typing import Any


def _query(**content: Any) -> str:
    tables = ("customers", "items", "orders", "regions", "stores")
    query = {"fingerprint": "f", "relations": [f"default.{table}" for table in tables], **content}
    return json.dumps({"version": 3, "queries": [query]})


def _order(items: Any, predicates: Any, order: Any) -> str:
    return _query(orders=[{"id": "x", "items": items, "predicates": predicates, "order": order}])


NO_DIRECTIVES = (
    *(
        "{",
        "[]",
        "null",
        "7",
        '"text"',
        "\x00",
        '{"version": 7, "queries": []}',
        '{"version": 3, "queries": [7, null, {}]}',
    ),
    *('{"version": 3}', '{"version": 3, "queries": 5}', '{"version": 3, "queries": [{"relations": "default.orders"}]}'),
    _query(hints=[None, {}, {"id": 1, "join": [], "hint": {}, "side": 3}]),
    _query(hints=[{"id": "x", "join": "0" * 16, "hint": "CARTESIAN", "side": []}]),
    _query(orders=[None]),
    _order([["a"]], [], [0, 0]),
    _order([["a"], ["b"]], [[[0], [9], "k", "k"]], [0, 1]),
    _order([["a"], ["b"]], [[[-1], [1], "k", "k"]], [0, [1]]),
    '{"version": 3, "queries": ' + "[" * 3000 + "]" * 3000 + "}",
)
