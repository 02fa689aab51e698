"""Names of relations as SQL text, Spark's plans and paths spell them, and when two of them mean the same relation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tuner.plan.relation import normalise_path, normalise_table

Name = tuple[str, ...]


def relation_name(relation: str) -> Name:
    """The lower-case parts of a name; a path's steps are parts too: a view is often called like its directory."""
    if "/" in relation:
        return written_name([relation])
    return written_name(part.strip("` ") for part in re.findall(r"`[^`]*`|[^.`]+", relation))


def key_name(key: str) -> tuple[Name, str]:
    """A join key `relation.column` in its two halves; a column alone, or what is computed, has no relation."""
    if "(" in key:
        return (), key.lower()
    relation, _, column = key.rpartition(".")
    return relation_name(relation), column.strip("` ").lower()


def written_name(identifiers: Iterable[str]) -> Name:
    """The same form for a name taken apart already; of `parquet.<path>`, the path counts."""
    parts = [identifier.lower() for identifier in identifiers]
    if parts and "/" in parts[-1]:
        return tuple(step for step in parts[-1].split("/") if step and not step.endswith(":"))
    return tuple(parts)


def measured_name(identifiers: Iterable[str]) -> Name:
    """The name by which a run's plans tell it, so that it stays the same every night: `*` for a date, say."""
    parts = list(identifiers)
    if parts and "/" in parts[-1]:
        return written_name([normalise_path(parts[-1])])
    return written_name(normalise_table(part.lower()) for part in parts)


def same_relation(one: Name, other: Name) -> bool:
    """Whether the shorter name is the end of the longer one, as Spark matches a hint's name with a relation's."""
    shorter = min(len(one), len(other))
    return shorter > 0 and one[-shorter:] == other[-shorter:]
