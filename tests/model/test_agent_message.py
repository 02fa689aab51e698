"""The agent's message as it is written, and as it is read again from a log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tuner.model.agent_message import (
    MAX_DIRECTIVES,
    AgentMessageError,
    HintDirective,
    OrderDirective,
    QueryDirectives,
    SizeBounds,
    decode_message,
    encode_message,
)
from tuner.model.join_graph import Joined

FINGERPRINT, JOIN = "00112233445566aa", "aabbccddeeff0011"
HINT = {"id": "h", "join": JOIN, "hint": "BROADCAST", "side": ["db.b"]}
ORDER = {"id": "o", "items": [["a"], ["b"], ["c"]], "predicates": [[[0], [1], "a.k", "b.k"]], "order": [[0, 2], 1]}


def message(*hints: dict[str, Any], orders: tuple[dict[str, Any], ...] = (), **changed: Any) -> str:
    return json.dumps(
        {"version": 3, "queries": [{"fingerprint": FINGERPRINT, "hints": hints, "orders": orders} | changed]}
    )


def test_what_is_written_is_read_again() -> None:
    hint = HintDirective(
        "h", JOIN, "BROADCAST", ("/data/größe", "db.$b"), 40_000_000, 300_000_000, ("77b2",), ("a.day",)
    )
    predicates = (((0,), (1,), "db.a.k", "db.b.k"), ((1,), (0, 2), "db.b.j", "expression(a,c)"))
    items, bounds = (("db.a",), ("db.b",), ("c", "d")), (SizeBounds(1, 9),) * 3
    order = OrderDirective("o", items, predicates, Joined(Joined(1, 2), 0), ("77b2",), bounds, (), (bounds, bounds))
    queries = (QueryDirectives(FINGERPRINT, ("db.a", "db.b"), "c0ffee", (hint,), (order,)),)
    text = encode_message(queries)
    assert decode_message(text) == queries
    assert text.isascii() and "\n" not in text and "$" not in text


def test_the_text_is_what_the_agent_reads() -> None:
    hint = HintDirective("h", JOIN, "MERGE", (), 0, 0, ("77b2",), ("a.day",), 0, 9)
    bounds, more = (SizeBounds(5, 90, 40), SizeBounds(1, 70)), (SizeBounds(7, 70), SizeBounds(1, 9))
    order = OrderDirective("o", (("a",), ("b",)), (((0,), (1,), "a.k", "b.k"),), Joined(1, 0), (), bounds, (), (more,))
    assert encode_message((QueryDirectives(FINGERPRINT, ("a", "b"), "", (hint,), (order,)),)) == (
        '{"version":3,"queries":[{"fingerprint":"00112233445566aa","relations":["a","b"],"columns":"",'
        '"hints":[{"id":"h","join":"aabbccddeeff0011","hint":"MERGE","side":[],"most_bytes":0,"cap_bytes":0,"literals":["77b2"],"neutral":["a.day"],"rows":0,"most_counted":9,"shuffled":false,"filtered":[]}],'
        '"orders":[{"id":"o","items":[["a"],["b"]],"predicates":[[[0],[1],"a.k","b.k"]],"order":[1,0],"literals":[],'
        '"bounds":[[5,90,40],[1,70,0]],"neutral":[],"more_bounds":[[[7,70,0],[1,9,0]]]}]}]}'
    )


def test_one_of_version_1_is_read() -> None:
    (query,) = decode_message(message(HINT, orders=(ORDER,)).replace('"version": 3', '"version": 1'))
    assert query.ids == ("h", "o")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a list"),
        ("[]", "not a list"),
        ("\ud800", "not a list"),
        (json.dumps({"version": 4, "queries": []}), "version 4"),
        (message(fingerprint="../../etc"), "not a list"),
        (message(HINT | {"join": "x" * 16}), "not a list"),
        (message(HINT | {"id": "x" * 30_000}), "not a list"),
        (message(*[HINT] * (MAX_DIRECTIVES + 1)), "more than 1000"),
        (message(orders=(ORDER | {"order": [0, 1]},)), "each item once"),
        (message(orders=(ORDER | {"order": [[0, 2], 2]},)), "each item once"),
        (message(orders=(ORDER | {"order": [[0, 2], -1]},)), "each item once"),
        (message(orders=(ORDER | {"order": [0, 1, 2]},)), "not a list"),
        (message(orders=(ORDER | {"bounds": [[1, 2]]},)), "bound each item"),
        (message(orders=(ORDER | {"more_bounds": [[], [[1, 2]]]},)), "bound each item"),
        (message(orders=(ORDER | {"order": []},)).replace('"order": []', '"order": ' + "[" * 9000), "not a list"),
        (" " * (5 << 20), "characters"),
    ],
)
def test_what_is_no_message_is_refused(text: str, why: str) -> None:
    with pytest.raises(AgentMessageError, match=why):
        decode_message(text)
