"""What makes an action, or a change, none that may be imported: a file may come from anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tuner.model.action import ON_JOINS, Action, ActionKind, Hint
from tuner.model.agent_message import MAX_ACTION_ID
from tuner.model.change import Change
from tuner.printable import printable
from tuner.spark.knob import Knob, Unit
from tuner.spark.knobs import JOIN_REORDER_ITEMS, KNOBS
from tuner.spark.lever import Lever
from tuner.spark.memory import MAX_BROADCAST_BYTES
from tuner.units import parse_bytes

MOST_RELATIONS = 100
_LEAST_BYTES, _MOST_BYTES = 1 << 10, 1 << 40
# A driver keeps a status of each map task for each partition; what a search over joins takes doubles with each relation.
_MOST_PARTITIONS, _MOST_ORDERED = 100_000, 20

_DIGEST = re.compile(r"[0-9a-f]{16}\Z")
_PAIR = re.compile(r"\((?:[0-9a-f]{16}(?:~\d{1,3})?|@) (?:[0-9a-f]{16}(?:~\d{1,3})?|@)\)")
_TABLE = re.compile(r"[\w$-]+(?:\.[\w$-]+){1,2}\Z")
_COLUMNS = re.compile(r"(?:[\w$.-]+(?:, ?[\w$.-]+)*)?\Z")
# JavaUtils.byteStringAs knows no blank between number and unit.
_SIZE = re.compile(r"-?[0-9]{1,18}[a-zA-Z]{0,2}")


def action_flaw(action: Action) -> str:
    """Why no run may do this; "" where one may."""
    if action.kind in ON_JOINS:
        return _join_flaw(action)
    if action.query is not None or action.relations:
        return f"{action.kind} is for no single query and no relations"
    return _property_flaw(action) if action.kind is ActionKind.SET_CONF else _table_flaw(action)


def refusal_flaw(change_id: str) -> str:
    """Why this can be no id of a change that was refused; "" where it can. What it names need not be one that may be imported."""
    if change_id.partition(":")[0] not in set(ActionKind):
        return f"its id names no change; one begins with {', '.join(ActionKind)}"
    if len(change_id) > MAX_ACTION_ID or printable(change_id) != change_id:
        return f"its id is longer than {MAX_ACTION_ID} characters, or has some that cannot be printed"
    return ""


def change_flaw(changes: Sequence[Change], queries: Collection[str]) -> str:
    """Why these are not tried together for these queries, the first being what the others need; "" where they are."""
    first = changes[0]
    if any(not change.carried_out for change in changes):
        return "a part does nothing that a run can do"
    if any(len({action.id for action in change.actions}) < len(change.actions) for change in changes):
        return "a part does the same twice"
    if any(len({(a.kind in ON_JOINS, a.query) for a in change.actions}) > 1 for change in changes):
        return "the actions of a part are not of one query"
    if len(changes) > 1 and any(not c.is_on_joins or c.query != first.query for c in changes):
        return "only changes to joins of one query are tried together"
    if first.is_on_joins and list(queries) != [first.query]:
        return "`queries` are not those that its actions are for"
    return ""


def _join_flaw(action: Action) -> str:
    if action.query is None or not _DIGEST.match(action.target):
        return "an action on a join names its query, and as its target the join's signature of 16 hex digits"
    if action.kind is ActionKind.ORDER_JOINS:
        return "" if _is_order(action.value) and not action.relations else "its value is no order of joins"
    if action.value not in set(Hint):
        return f"its value is no hint; there are {', '.join(Hint)}"
    return "" if action.relations else "a hint names the relations of a side"


def _is_order(text: str) -> bool:
    """Whether it is of pairs of pairs, down to labels."""
    if text.count("(") >= MOST_RELATIONS or "@" in text:
        return False
    for _ in range(MOST_RELATIONS):
        text, found = _PAIR.subn("@", text)
        if not found:
            break
    return text == "@"


def _property_flaw(action: Action) -> str:
    knob = KNOBS.get(action.target)
    if knob is None or knob.lever is None:
        return f"{action.target} is no property that a change may set"
    readable = _READABLE.get(knob.unit)
    if readable is None or not readable(action.value):
        return f"{action.value!r} is no value of {action.target}"
    if not _is_within_reason(knob, action.value):
        return f"{action.value!r} is no value of {action.target} that a run could gain from"
    return ""


def _is_within_reason(knob: Knob[Any], text: str) -> bool:
    if knob.unit is Unit.COUNT:
        return int(text) <= (_MOST_ORDERED if knob is JOIN_REORDER_ITEMS else _MOST_PARTITIONS)
    if knob.unit is Unit.BYTES:
        size, is_broadcast = parse_bytes(text), knob.lever is Lever.BROADCASTS
        most = MAX_BROADCAST_BYTES if is_broadcast else _MOST_BYTES
        return size is not None and ((is_broadcast and size == -1) or _LEAST_BYTES <= size <= most)
    return True


def _table_flaw(action: Action) -> str:
    if not _TABLE.match(action.target) or not _COLUMNS.match(action.value):
        return "it names no table of a catalog and its columns"
    return ""


def _is_size(text: str) -> bool:
    return bool(_SIZE.fullmatch(text)) and parse_bytes(text) is not None


def _is_count(text: str) -> bool:
    return bool(re.fullmatch("[1-9][0-9]{0,8}", text))


def _is_ratio(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{1,4}(?:\.[0-9]{1,9})?", text))


def _is_share(text: str) -> bool:
    return _is_ratio(text) and float(text) <= 1


_READABLE: Mapping[Unit, Callable[[str], bool]] = {
    Unit.FLAG: {"true", "false"}.__contains__,
    Unit.BYTES: _is_size,
    Unit.COUNT: _is_count,
    Unit.RATIO: _is_ratio,
    Unit.SHARE: _is_share,
}
