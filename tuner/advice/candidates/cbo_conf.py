"""The properties of Spark's cost-based optimizer that decide about join orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.cost.spark_order import DEFAULT_THRESHOLD
from tuner.spark.join_selection.selection_conf import Version, read_version
from tuner.spark.order_cost import DEFAULT_WEIGHT

ENABLED = "spark.sql.cbo.enabled"
REORDER = "spark.sql.cbo.joinReorder.enabled"
WEIGHT = "spark.sql.cbo.joinReorder.card.weight"
DP_THRESHOLD = "spark.sql.cbo.joinReorder.dp.threshold"
STAR_FILTER = "spark.sql.cbo.joinReorder.dp.star.filter"


@dataclass(frozen=True, slots=True)
class CboConf:
    """What a run had set; the defaults are Spark's (SQLConf)."""

    enabled: bool = False
    reorder: bool = False
    weight: float = DEFAULT_WEIGHT
    threshold: int = DEFAULT_THRESHOLD
    star_filter: bool = False

    @classmethod
    def read(cls, conf: Mapping[str, str]) -> CboConf:
        """What is unset or unreadable is Spark's default."""
        weight = _number(conf.get(WEIGHT), DEFAULT_WEIGHT)
        return cls(
            enabled=_flag(conf, ENABLED),
            reorder=_flag(conf, REORDER),
            weight=weight if 0 <= weight <= 1 else DEFAULT_WEIGHT,
            threshold=int(_number(conf.get(DP_THRESHOLD), DEFAULT_THRESHOLD)),
            star_filter=_flag(conf, STAR_FILTER),
        )

    @property
    def reorders(self) -> bool:
        """Whether Spark orders joins by cost (CostBasedJoinReorder asks for both)."""
        return self.enabled and self.reorder

    def has(self, key: str, value: str) -> bool:
        """Whether a flag has this value already."""
        return {ENABLED: self.enabled, REORDER: self.reorder}.get(key) is (value == "true")

    @staticmethod
    def version(facts: Facts) -> Version:
        return read_version(facts.spark_version)


def _flag(conf: Mapping[str, str], key: str) -> bool:
    return conf.get(key, "false").strip().lower() == "true"


def _number(text: str | None, default: float) -> float:
    try:
        number = float(default if text is None else text)
    except ValueError:
        return default
    return number if abs(number) < 1e9 else default
