"""The insights of one application: the same insight of several executions of a query is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tuner.model.change import Evidence
from tuner.model.insight import Insight

_Alike = tuple[str, str, str, int]  # query, kind, operator, and which of such operators in one plan


class ApplicationInsights:
    """Collects the insights of each execution of a query, and keeps the costliest of those that are alike."""

    def __init__(self) -> None:
        self._worst: dict[_Alike, Insight] = {}
        self._times: Counter[_Alike] = Counter()

    def add(self, run: Iterable[Insight]) -> None:
        """Adds the insights of one execution."""
        number: Counter[tuple[str, str, str]] = Counter()
        for insight in run:
            what = (insight.query, insight.kind.value, insight.operator)
            alike = (*what, number[what])
            number[what] += 1
            self._times[alike] += 1
            if alike not in self._worst or insight.seconds > self._worst[alike].seconds:
                self._worst[alike] = insight

    def in_order(self) -> tuple[Insight, ...]:
        """The costliest first. One that several executions show says in how many."""
        found = (self._with_times(alike, insight) for alike, insight in self._worst.items())
        return tuple(sorted(found, key=lambda i: -i.seconds))

    def _with_times(self, alike: _Alike, insight: Insight) -> Insight:
        times = self._times[alike]
        if times == 1:
            return insight
        return replace(insight, evidence=(*insight.evidence, Evidence("seen in runs of the query", times, "runs")))
