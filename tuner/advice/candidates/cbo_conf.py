"""The properties of Spark's cost-based optimizer that decide about join orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.spark import knobs
from tuner.spark.settings import Settings
from tuner.spark.version import Version, read_version


@dataclass(frozen=True, slots=True)
class CboConf:
    """What a run had set; the defaults are Spark's (SQLConf)."""

    enabled: bool = knobs.CBO.default
    reorder: bool = knobs.JOIN_REORDER.default
    weight: float = knobs.JOIN_REORDER_WEIGHT.default
    threshold: int = knobs.JOIN_REORDER_ITEMS.default
    star_filter: bool = knobs.JOIN_REORDER_STAR_FILTER.default

    @classmethod
    def read(cls, conf: Mapping[str, str]) -> CboConf:
        """What is unset or unreadable is Spark's default."""
        settings = Settings(conf)
        return cls(
            enabled=settings[knobs.CBO],
            reorder=settings[knobs.JOIN_REORDER],
            weight=settings[knobs.JOIN_REORDER_WEIGHT],
            threshold=settings[knobs.JOIN_REORDER_ITEMS],
            star_filter=settings[knobs.JOIN_REORDER_STAR_FILTER],
        )

    @property
    def reorders(self) -> bool:
        """Whether Spark orders joins by cost (CostBasedJoinReorder asks for both)."""
        return self.enabled and self.reorder

    def has(self, key: str, value: str) -> bool:
        """Whether a flag has this value already."""
        return {knobs.CBO.property: self.enabled, knobs.JOIN_REORDER.property: self.reorder}.get(key) is (
            value == "true"
        )

    @staticmethod
    def version(facts: Facts) -> Version:
        return read_version(facts.spark_version)
