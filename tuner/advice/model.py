"""What `advice` hands on: actions with their evidence, predicted gain and risk."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ActionKind(StrEnum):
    SET_CONF = "set_conf"
    HINT_JOIN = "hint_join"
    ORDER_JOINS = "order_joins"
    ANALYZE_TABLE = "analyze_table"


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
    def words(self) -> str:
        """What to do, as one would type it; an order of joins is spelled in its reason, by names."""
        match self.kind:
            case ActionKind.SET_CONF:
                return f"{self.target}={self.value}"
            case ActionKind.HINT_JOIN:
                return f"/*+ {self.value}({', '.join(self.relations)}) */ in query {self.query}"
            case ActionKind.ORDER_JOINS:
                return f"the order of joins in query {self.query}"
            case ActionKind.ANALYZE_TABLE:
                columns = f" FOR COLUMNS {self.value}" if self.value else ""
                return f"ANALYZE TABLE {self.target} COMPUTE STATISTICS{columns}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One measured (or derived) number behind an action, with its unit and what it is of."""

    what: str
    value: float
    unit: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Seconds of the affected queries before and after, and the interval of the latter."""

    before: float
    after: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        return self.before - self.after

    @property
    def worst_loss(self) -> float:
        """Seconds lost in the predicted worst case; 0 when even that gains."""
        return max(0.0, self.high - self.before)


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Actions that belong together, for the queries they affect (fingerprints), and why."""

    actions: tuple[Action, ...]
    queries: tuple[str, ...]
    reason: str
    evidence: tuple[Evidence, ...]
    predicted_seconds: Prediction
    risk: Risk
    advisor: str = ""
