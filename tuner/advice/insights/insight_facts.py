"""What the insight rules read: one query, its plans as measured, the stages that ran it and its conf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tuner.model.application import Stage, Work
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.model.query import Query
from tuner.model.reason import Number
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode
from tuner.plan.queries import QueryAndPlans
from tuner.spark.settings import Settings
from tuner.spark.version import read_version


@dataclass(frozen=True, slots=True)
class InsightFacts:
    """One query as the rules see it. `initial` is the plan before AQE, `final` the one that ran.

    `logical_plan` is the optimised logical plan as text, where the log has one. `plan` is `final` with its stages.
    """

    query: Query
    initial: PlanNode
    final: PlanNode
    stages: tuple[Stage, ...] = ()
    conf: Mapping[str, str] = field(default_factory=dict)
    spark_version: str = ""
    logical_plan: str | None = None
    plan: MeasuredPlan = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plan", MeasuredPlan(self.final, self.stages))

    @property
    def query_seconds(self) -> float:
        return self.query.seconds

    def scan_seconds(self, node: PlanNode, scan_ms: int) -> float:
        """Wall seconds of the stages of a node that its scan took; all of them where "scan time" was not counted."""
        return self.plan.seconds_of_share(node, scan_ms) if scan_ms else self.plan.seconds(node)

    @property
    def settings(self) -> Settings:
        return Settings(self.conf, read_version(self.spark_version))

    def insight(
        self,
        kind: InsightKind,
        operator: str,
        seconds: float,
        *evidence: Evidence,
        **numbers: Number,
    ) -> Insight:
        """An insight of this query, with the numbers of its sentences; it cannot have cost more than the query took."""
        return Insight(
            kind=kind,
            operator=operator,
            query=self.query.fingerprint,
            seconds=min(seconds, self.query_seconds),
            evidence=evidence,
            description=self.query.description,
            numbers=numbers,
        )


def insight_facts(work: Work, found: QueryAndPlans) -> InsightFacts:
    """The facts of a SQL execution that has finished, and of the query it is."""
    query, initial, final = found
    execution = work.execution
    return InsightFacts(
        query=query,
        initial=initial,
        final=final,
        stages=work.stages,
        conf={**work.conf, **(execution.modified_conf if execution else {})},
        spark_version=work.spark_version,
        logical_plan=execution.logical_plan if execution else None,
    )
