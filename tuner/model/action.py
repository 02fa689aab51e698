"""One thing done to a run: a property set, a join hinted, a block of joins ordered, a table analysed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class ActionKind(StrEnum):
    SET_CONF = "set_conf"
    HINT_JOIN = "hint_join"
    ORDER_JOINS = "order_joins"
    ANALYZE_TABLE = "analyze_table"


# What is about the joins of one query, and carried out by the Catalyst agent.
ON_JOINS = frozenset({ActionKind.HINT_JOIN, ActionKind.ORDER_JOINS})


class Hint(StrEnum):
    """Spark's join hints (SPARK-27225). NO_BROADCAST is none that SQL has: only the agent can give it."""

    BROADCAST = "BROADCAST"
    NO_BROADCAST = "NO_BROADCAST"
    MERGE = "MERGE"
    SHUFFLE_HASH = "SHUFFLE_HASH"


@dataclass(frozen=True, slots=True)
class Action:
    """One change.

    set_conf: `target` is the property, `value` what it becomes. hint_join: `target` is the join's signature, `value`
    the hint, `query` the fingerprint, `relations` those of the side that is hinted. order_joins: `target` is the join
    graph's signature, `value` the order by its relations' labels (`tuner.plan.order_text`), `query` the fingerprint.
    analyze_table: `target` is the table, `value` the columns, comma-separated.
    """

    kind: ActionKind
    target: str
    value: str
    query: str | None = None
    relations: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same change in every run: what verdicts and verification refer to."""
        scope = f"{self.query}/" if self.query else ""
        side = f"({'+'.join(self.relations)})" if self.relations else ""
        return f"{self.kind}:{scope}{self.target}={self.value}{side}"

    @property
    def hint_text(self) -> str:
        """A join hint to paste behind SELECT, with the relation's last name: its alias goes there if the query gives it
        one. Empty where SQL has no text for the change."""
        if self.kind is not ActionKind.HINT_JOIN or self.value == Hint.NO_BROADCAST or len(self.relations) != 1:
            return ""
        return f"/*+ {self.value}({_last_name(self.relations[0])}) */"

    @property
    def words(self) -> str:
        """What to do, as one would type it; an order of joins is spelled in its reason, by names."""
        match self.kind:
            case ActionKind.SET_CONF:
                return f"{self.target}={self.value}"
            case ActionKind.HINT_JOIN:
                where = f"in query {self.query}"
                if self.hint_text:
                    return f"{self.hint_text} {where}"
                return f"{self.value} of {'+'.join(map(_last_name, self.relations))} {where}, by the agent"
            case ActionKind.ORDER_JOINS:
                return f"the order of joins in query {self.query}"
            case ActionKind.ANALYZE_TABLE:
                columns = f" FOR COLUMNS {self.value}" if self.value else ""
                return f"ANALYZE TABLE {self.target} COMPUTE STATISTICS{columns}"


def _last_name(relation: str) -> str:
    """Of `db.table` and of a path the last part, in backquotes where SQL asks for them."""
    parts = relation.rstrip("/").rsplit("/", 1) if "/" in relation else relation.rsplit(".", 1)
    name = parts[-1]
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"
