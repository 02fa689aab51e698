"""What makes a query the same one in the next run, whatever strategy, order of exchanges or literals that run has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from tuner.model.strategy import JoinType
from tuner.plan.aggregate import aggregate_parts, without_phase
from tuner.plan.digest import digest
from tuner.plan.expression import bracketed, conjuncts, skeleton, split_at_columns, split_keys, split_top_level
from tuner.plan.joins import Join, type_name
from tuner.plan.memoize_by_text import by_text
from tuner.plan.node import PlanNode
from tuner.plan.relation import columns_cut, is_scan, normalise_path, relation_name, scan_columns, without_dates
from tuner.plan.row_bytes import schema_columns

# Filters Spark adds by itself, depending on sizes: dynamic pruning, runtime bloom filters, null checks of join keys.
_DERIVED = ("dynamicpruning", "might_contain", "isnotnull(")
_WRITE_VERB = re.compile("Insert|Create|Save|Append|Overwrite|Replace")  # soon looked for, in texts that hold none
_WRITES = re.compile(
    r"\b(InsertInto\w+|CreateDataSourceTableAsSelect\w*|SaveInto\w+|Append\w+|Overwrite\w+|CreateTableAsSelect\w*|ReplaceTable\w*)\b"
)
# What Java makes of an object that has no text of its own (Object.toString): another one in each run. A writer of the second API
# holds a function: AppendData ….DataSourceV2Strategy$$Lambda$5137/0x00007fab514d3d48@4c6d26b1, IcebergWrite(table=db.t);
# with Java 8 ….DataSourceV2Strategy$$Lambda$2293/1470843699@46290193.
_OBJECT = re.compile(
    r"(?<![\w/.$])(?:\w{1,99}\.){1,20}[\w$]{1,200}(?:/(?:0x[0-9a-f]{1,16}|\d{1,10}))?@[0-9a-f]{1,8}(?=[\s,)\]]|$)"
)
# What MLlib calls its stages, after which it names columns and files that nobody named, is another one in each run:
# StringIndexer_7c1b09d2f3aa__output (Identifiable.randomUID, pyspark.ml.util.Identifiable), mbc$acc<UUID> (OneVsRest).
_OF_STAGE = re.compile(r"(?<=[A-Za-z0-9$]_)[0-9a-f]{12}(?![0-9A-Za-z])|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# A month in a word, as PIVOT calls columns by what it found.
_MONTH = re.compile(r"(?<![^\W_])(?:19|20)\d{2}[-_]?(?:0[1-9]|1[0-2])(?![^\W_])")
_TABLE = re.compile(r"\btable=([^\s,)]+)")
# What scripts name a target after, and is another one in each run: an attempt's number, and random hex digits, of which words and
# numbers are told by changing between letters and digits twice (spark-app-8f3a1c, clean_tmp_83af; not feb2024, sales_2024a).
_OF_ATTEMPT = re.compile(
    r"(?<![A-Za-z0-9])(?:attempt[_-]?\d{1,6}"
    r"|(?=[a-f]{1,60}\d{1,60}[a-f]|\d{1,60}[a-f]{1,60}\d)[0-9a-f]{6,60}"
    r"|(?<=tmp[_-])(?=[a-f]{1,60}\d|\d{1,60}[a-f])[0-9a-f]{4,60})(?![A-Za-z0-9])"
)
# A bucket has its digits every night.
_AUTHORITY = re.compile(r"[a-z0-9]{1,20}://[^/]*|")
_WRITE = "write "
# Of longer lists any run prints as many: spark.sql.debug.maxToStringFields is 25, in those that the tuner submits 100, and many
# versions print one less.
_MOST_LISTED = 24


class Fingerprints(NamedTuple):
    """A query's own, and its statement's, which is the same whatever it writes to; "" where it writes nothing."""

    query: str
    statement: str


def fingerprint(root: PlanNode, joins: Iterable[Join]) -> str:
    """16 hex digits over the plan before AQE: its relations, joins, filters, aggregates, windows, order and target.

    `joins` are every join of the plan. In what order a block of inner joins has its relations is left out, and of long lists what
    some runs do not print.
    """
    return fingerprints(root, joins).query


def fingerprints(root: PlanNode, joins: Iterable[Join]) -> Fingerprints:
    """The fingerprint, and the same without the target."""
    parts = Counter(_parts(root, joins))
    without = Counter({part: count for part, count in parts.items() if not part.startswith(_WRITE)})
    return Fingerprints(_digest(parts), _digest(without) if len(without) < len(parts) else "")


def _digest(parts: Counter[str]) -> str:
    return digest("\n".join(f"{part}*{count}" for part, count in sorted(parts.items())))


def _parts(root: PlanNode, joins: Iterable[Join]) -> Iterator[str]:
    seen_aggregates: set[str] = set()
    for join in joins:
        yield from _join(join)
    for node in root.walk_query():
        if is_scan(node):
            yield f"scan {relation_name(node)} {','.join(sorted(_read(node)))}"
        else:
            yield from (_OF_STAGE.sub("*", part) for part in _between(node, seen_aggregates))


def _read(scan: PlanNode) -> Sequence[str]:
    """The columns of a scan. Where a list may be too short for all, the schema of its files has them, but for partitions."""
    listed = [name for name, _ in scan_columns(scan)]
    if len(listed) <= _MOST_LISTED and not columns_cut(scan):
        return listed
    return schema_columns(scan) or listed[:_MOST_LISTED]


def _between(node: PlanNode, seen_aggregates: set[str]) -> Iterator[str]:
    """What an operator between scans computes, leaves out or brings into an order."""
    if node.name == "Filter":
        yield from _filter(node)
    elif aggregate := aggregate_parts(node):
        keys, functions = (_listed(found, split_keys) for found in aggregate)
        part = f"aggregate {_names(keys)} {_names(without_phase(functions))}"
        if part not in seen_aggregates:  # once for its partial and final halves
            seen_aggregates.add(part)
            yield part
    else:
        yield from _other(node)


def _join(join: Join) -> Iterator[str]:
    """Of an inner join each pair of keys by itself: which of them one join has is the order's to say."""
    name, keys = type_name(join.type), sorted(map(_equation, join.keys))
    if name == JoinType.INNER:
        yield f"join {name}"
        yield from (f"key {key}" for key in (*keys, *map(_equation, join.equated)))
    else:
        yield f"join {name} {';'.join(keys)}"


def _equation(pair: tuple[str, str]) -> str:
    return "=".join(sorted(pair))


def _filter(node: PlanNode) -> Iterable[str]:
    kept = [c for c in conjuncts(node.text.removeprefix("Filter ")) if not any(d in c for d in _DERIVED)]
    return (f"filter {_shape(c)}" for c in kept)


@by_text
def _shape(text: str) -> str:
    """The skeleton without the dates in names: PIVOT calls a column by its value, and a report one by its day or month."""
    return _MONTH.sub("*", without_dates(skeleton(text)))


@by_text
def _names(text: str) -> str:
    return ",".join(_shape(part) for part in split_top_level(text))


def _listed(text: str, split: Callable[[str], list[str]] = split_at_columns) -> str:
    """A list without what some runs do not print of it."""
    parts = split(text) if text.count(",") >= _MOST_LISTED else ()
    return ", ".join(parts[:_MOST_LISTED]) if len(parts) > _MOST_LISTED else text


def _with_lists(text: str) -> str:
    """The text of an operator with each of its lists so."""
    found, start = "", 0
    while listed := bracketed(text, start):
        inner, end = listed
        found += f"{text[start : end - len(inner) - 1]}{_listed(inner)}]"
        start = end
    return found + text[start:]


def _other(node: PlanNode) -> Iterator[str]:
    if node.name == "Project" and (found := bracketed(node.text)):
        # Which plain columns pass is pruned differently from plan to plan; what is computed is not.
        yield from (f"compute {_shape(p)}" for p in split_top_level(_listed(found[0])) if " AS " in p)
    elif node.name == "TakeOrderedAndProject" or (node.name == "Sort" and ", true, " in node.text):
        found = bracketed(node.text)
        yield f"order {_names(_listed(found[0], split_keys)) if found else ''}"
    elif node.name in ("Window", "Expand", "Generate", "Union"):
        yield f"{node.name} {_shape(_with_lists(node.text))}"
    elif _WRITE_VERB.search(node.text) and (match := _WRITES.search(node.text)):
        yield f"{_WRITE}{match[1]} {_any_attempt(normalise_path(_target(node.text)))}"


def _target(text: str) -> str:
    """The path or the name of what is written; "" where the text tells neither."""
    text = _OBJECT.sub("", text)
    found = re.search(r"(?:(?<![a-z0-9])[a-z0-9]{1,20}+:/|/)[^\s,\]]+|`[^`]+`(?:\.`[^`]+`)*", text)
    if found:
        return found[0]
    table = _TABLE.search(text)
    return table[1] if table else ""


def _any_attempt(target: str) -> str:
    start = found.end() if (found := _AUTHORITY.match(target)) else 0
    return target[:start] + _OF_ATTEMPT.sub("*", target[start:])
