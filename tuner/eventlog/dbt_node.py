"""Which node of its project dbt runs a statement for: a model, test, snapshot or seed, by the comment that it puts before it."""

from __future__ import annotations

import re

import msgspec

from tuner.eventlog.events import UNREADABLE

_COMMENT = re.compile(r"\s*+/\*\s*+(\{[^{}]*+\})\s*+\*/")
_NODE = re.compile(r"[\w.-]+")


class _Comment(msgspec.Struct):
    app: str = ""
    node_id: str = ""


_comment = msgspec.json.Decoder(_Comment)


def dbt_node(statement: str) -> str:
    """Its id, such as `test.shop.unique_orders_order_id.fed79b3a6e`, the same in each run; "" where dbt tells none."""
    found = _COMMENT.match(statement)
    try:
        comment = _comment.decode(found[1]) if found else _Comment()
    except UNREADABLE:
        return ""
    return comment.node_id if comment.app == "dbt" and _NODE.fullmatch(comment.node_id) else ""
