"""How paths and names of tables are normalised, told to the agent: the rules of `tuner.plan.relation` as Java reads patterns."""

from __future__ import annotations

import json
import re

from tuner.plan.relation import PathRules, jdbc_rules, path_rules, table_rules

_GROUP = re.compile(r"\\(\d)")


def path_rules_json() -> str:
    """`{"at": [[pattern, replacement], …], "rules": […], "tables": […], "jdbc": […]}` for `Matcher.replaceAll`: "at" up to the
    last @ of a path, "tables" for names of tables, "jdbc" for queries that are sent to databases.

    (?U): `\\d`, `\\w` and `\\b` know all of Unicode, as Python's do.
    """
    at, rules = path_rules()
    found = {"at": _in_java(at), "rules": _in_java(rules), "tables": _in_java(table_rules())}
    found["jdbc"] = _in_java(jdbc_rules())
    return json.dumps(found, indent=1) + "\n"


def _in_java(rules: PathRules) -> list[list[str]]:
    return [[f"{_flags(pattern)}{pattern.pattern}", _GROUP.sub(r"$\1", replacement)] for pattern, replacement in rules]


def _flags(pattern: re.Pattern[str]) -> str:
    return "(?sU)" if pattern.flags & re.DOTALL else "(?U)"
