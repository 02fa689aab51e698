"""Actions in words: what to do, as one would type it."""

from __future__ import annotations

import re

from tuner.model.action import BY_AGENT_ALONE, ON_JOINS, Action, ActionKind, Hint
from tuner.words.query_names import QueryNames

_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def action_words(action: Action, names: QueryNames) -> str:
    """What to do; an order of joins is spelled in its reason, by names."""
    if action.kind not in ON_JOINS:
        return short_words(action)
    where = f"{short_words(action)} in {names[action.query] if action.query else ''}"
    by_agent = action.kind is ActionKind.HINT_JOIN and not hint_text(action)
    return f"{where}, by the agent" if by_agent else where


def short_words(action: Action) -> str:
    """What to do, where its query is told already."""
    match action.kind:
        case ActionKind.SET_CONF:
            return f"{action.target}={action.value}"
        case ActionKind.HINT_JOIN:
            return hint_text(action) or f"{hint_name(action.value)} of {'+'.join(map(_last_name, action.relations))}"
        case ActionKind.ORDER_JOINS:
            return "reorder the joins"
        case ActionKind.ANALYZE_TABLE:
            return analyze_statement(action)


_NAMES: dict[str, str] = {Hint.FILTER_BY_KEY: "filter by the keys", Hint.SHARE: "one computation"}


def hint_name(hint: str) -> str:
    """What a hint is called: by Spark, where it has a name there."""
    return _NAMES.get(hint, hint)


def analyze_statement(action: Action) -> str:
    """The SQL that gathers a table's statistics, to paste."""
    columns = f" FOR COLUMNS {action.value}" if action.value else ""
    return f"ANALYZE TABLE {action.target} COMPUTE STATISTICS{columns}"


def hint_text(action: Action) -> str:
    """A join hint to paste behind SELECT, with the relation's last name: its alias goes there if the query gives it one.
    Empty where SQL has no text for the change."""
    by_agent = action.value in BY_AGENT_ALONE or action.by_agent_alone
    if action.kind is not ActionKind.HINT_JOIN or by_agent or len(action.relations) != 1:
        return ""
    return f"/*+ {action.value}({_last_name(action.relations[0])}) */"


def _last_name(relation: str) -> str:
    """Of `db.table` and of a path the last part, in backquotes where SQL asks for them."""
    parts = relation.rstrip("/").rsplit("/", 1) if "/" in relation else relation.rsplit(".", 1)
    name = parts[-1]
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"
