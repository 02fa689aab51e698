"""One thing done to a run: a property set, a join hinted, a block of joins ordered, a table analysed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class ActionKind(StrEnum):
    SET_CONF = "set_conf"
    HINT_JOIN = "hint_join"
    ORDER_JOINS = "order_joins"
    ANALYZE_TABLE = "analyze_table"


# What is about the joins of one query, and carried out by the Catalyst agent.
ON_JOINS = frozenset({ActionKind.HINT_JOIN, ActionKind.ORDER_JOINS})


class Hint(StrEnum):
    """Spark's join hints (SPARK-27225), and three that SQL has not and only the agent can give: NO_BROADCAST, FILTER_BY_KEY
    of the side whose keys make a bloom filter of the other's rows, and SHARE, where the join is the first one below groups that
    a query makes several times, of all that they read."""

    BROADCAST = "BROADCAST"
    NO_BROADCAST = "NO_BROADCAST"
    MERGE = "MERGE"
    SHUFFLE_HASH = "SHUFFLE_HASH"
    FILTER_BY_KEY = "FILTER_BY_KEY"
    SHARE = "SHARE"


# What builds a hash table of a side, which must fit into memory.
BUILDING = frozenset({Hint.BROADCAST, Hint.SHUFFLE_HASH})
# What says how a join runs, and by which side: it takes one of them, whichever side that names.
STRATEGIES = frozenset({Hint.BROADCAST, Hint.NO_BROADCAST, Hint.MERGE, Hint.SHUFFLE_HASH})
# What no text of SQL can say.
BY_AGENT_ALONE = frozenset({Hint.NO_BROADCAST, Hint.FILTER_BY_KEY, Hint.SHARE})


@dataclass(frozen=True, slots=True)
class Action:
    """One thing done to a run.

    set_conf: `target` is the property, `value` what it becomes. hint_join: `target` is the join's signature, `value`
    the hint, `query` the fingerprint, `relations` those of the side that is hinted (SHARE: all below the groups).
    order_joins: `target` is the join graph's signature, `value` the order by its relations' labels
    (`tuner.plan.order_text`), `query` the fingerprint. analyze_table: `target` is the table, `value` the columns,
    comma-separated. `by_agent_alone` says that the same hint in SQL text would do harm; it makes no other action of one.
    """

    kind: ActionKind
    target: str
    value: str
    query: str | None = None
    relations: tuple[str, ...] = ()
    by_agent_alone: bool = field(default=False, compare=False)

    @property
    def id(self) -> str:
        """The same for the same action in every run: what the agent says became of it refers to it."""
        scope = f"{self.query}/" if self.query else ""
        side = f"({'+'.join(self.relations)})" if self.relations else ""
        return f"{self.kind}:{scope}{self.target}={self.value}{side}"
