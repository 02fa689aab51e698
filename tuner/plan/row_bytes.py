"""Bytes of a row in memory, from the columns an operator puts out."""

from __future__ import annotations

import re

from tuner.plan.aggregate import AGGREGATES, aggregate_parts
from tuner.plan.expression import MORE, bracketed, last_word, split_top_level, without_ids
from tuner.plan.node import PlanNode
from tuner.plan.relation import columns_cut, is_scan, scan_columns

# UnsafeRow: a word for each 64 fields tells which are null, a word for each field; a variable-length one takes its
# bytes besides, in whole words. Of texts we take 20 bytes, as StringType.defaultSize does, of variants as many as VariantType's.
# UnsafeArrayData has a word for its length and one for nulls, UnsafeMapData two arrays and a word; of one element, as
# ArrayType.defaultSize and MapType's. A decimal of more digits than a long has takes two words besides (UnsafeRowWriter.write).
_WORD = 8
_BESIDES = {
    **dict.fromkeys(("string", "binary", "varchar", "char"), 24),
    "variant": 2048,
    "array": 2 * _WORD,
    "map": 5 * _WORD,
    "struct": _WORD,
}
# Of a column whose type nothing tells: half of such are texts.
_UNTYPED = 12
_WIDE_DECIMAL = 2 * _WORD
_MOST_DIGITS_OF_LONG = 18  # Decimal.MAX_LONG_DIGITS
_MORE = re.compile(r"\.\.\. (\d{1,6})" + MORE)
_MOST_COLUMNS = 10_000
_PART = re.compile(r"[<>]|[^<>,]++")
_TYPE = re.compile(r"([a-z_]++)(?:\(([0-9]{1,9}))?")
_PASSING = frozenset({"Filter", "Sort", "Exchange", "ShuffleExchange", "BroadcastExchange", "ReusedExchange"})


def row_bytes(node: PlanNode) -> int:
    """The bytes of one UnsafeRow of a relation: an estimate from its list of columns and the types its scan read."""
    columns = _columns(node)
    besides = _besides(node)
    untyped = _UNTYPED if any(map(_is_untyped, node.walk())) else 0
    texts = sum(besides.get(name, 0 if is_long else untyped) for name, is_long in columns)
    return _WORD * (-(-len(columns) // 64) + len(columns)) + texts


def read_columns(scan: PlanNode) -> tuple[str, ...]:
    """The names of the columns that a scan reads, as lists tell them: of several words the last."""
    return tuple(dict.fromkeys(filter(None, map(last_word, _whole_names(scan)))))


def _whole_names(scan: PlanNode) -> list[str]:
    """Those that a list is too short for are in the schema of the scan's files, by their whole names as all are there."""
    schema = _of_schema(scan.metadata.get("ReadSchema", "")) if columns_cut(scan) else {}
    words = set(map(last_word, schema))
    return [*(name for name, _ in scan_columns(scan) if name not in words), *schema]


def schema_columns(scan: PlanNode) -> tuple[str, ...]:
    """Those of them that are in the schema of its files, however many a list has."""
    return tuple(dict.fromkeys(filter(None, map(last_word, _of_schema(scan.metadata.get("ReadSchema", ""))))))


# The name of a column, as far as texts tell, and whether they tell that it is a bigint.
_Column = tuple[str, bool]


def _columns(node: PlanNode) -> list[_Column]:
    """The columns an operator puts out."""
    while True:
        if aggregate := aggregate_parts(node) if node.name in AGGREGATES else None:
            return [column for found in aggregate for column in _of_list(found)]
        if is_scan(node) and columns_cut(node) and "ReadSchema" in node.metadata:
            return [(name, False) for name in _whole_names(node)]
        if node.name == "Project" or is_scan(node) or not node.children:
            found = bracketed(node.text.removeprefix(node.full_name)) or bracketed(node.text)
            return _of_list(found[0]) if found else []
        if len(node.children) > 1 or node.name not in _PASSING:
            return [column for child in node.children for column in _columns(child)]
        node = node.children[0]


def _of_list(text: str) -> list[_Column]:
    """Those that a list names, and as many as it leaves out."""
    found: list[_Column] = []
    for part in split_top_level(text):
        if more := _MORE.fullmatch(part):
            found += [("", False)] * min(int(more[1]), _MOST_COLUMNS)
        else:
            name, _, id_ = part.rpartition(" AS ")[2].partition("#")
            found.append((without_ids(name), id_.endswith("L")))
    return found


def _is_untyped(node: PlanNode) -> bool:
    """Whether a scan tells nothing of its columns' types, as those of Iceberg, Hive and JDBC do not."""
    return is_scan(node) and not node.children and "ReadSchema" not in node.metadata and bool(scan_columns(node))


def _besides(node: PlanNode) -> dict[str, int]:
    """Bytes that a column of the scans below takes beside its word."""
    found: dict[str, int] = {}
    for below in node.walk():
        found |= _of_schema(below.metadata.get("ReadSchema", ""))
    return found


def _of_schema(schema: str) -> dict[str, int]:
    """The same of each column of `struct<a:int,b:array<string>>`; what is nested takes its own word, too."""
    found: dict[str, int] = {}
    depth, column = 0, ""
    for part in _PART.findall(schema):
        depth += (part == "<") - (part == ">")
        name, _, kind = part.rpartition(":")
        if depth < 1 or not (type_ := _TYPE.match(kind.strip())):
            continue
        if depth == 1:
            column = name.strip()
        found[column] = found.get(column, -_WORD) + _WORD + _beside(type_[1], int(type_[2] or 0))
    return found


def _beside(type_: str, digits: int) -> int:
    if type_ == "decimal":
        return _WIDE_DECIMAL if digits > _MOST_DIGITS_OF_LONG else 0
    return _BESIDES.get(type_, 0)
