"""The insights that all rules find in one query, the costliest first."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable

from tuner.advice.facts import is_whole
from tuner.advice.insights.distinct_aggregate import distinct_aggregates
from tuner.advice.insights.dropped_columns import dropped_columns
from tuner.advice.insights.duplicate_subplan import duplicate_subplans
from tuner.advice.insights.hash_fallback import hash_fallbacks
from tuner.advice.insights.ignored_hint import ignored_hints
from tuner.advice.insights.insight_facts import InsightFacts, insight_facts
from tuner.advice.insights.nested_loop_join import nested_loop_joins
from tuner.advice.insights.object_hash_fallback import object_hash_fallbacks
from tuner.advice.insights.outer_join import outer_joins
from tuner.advice.insights.partial_aggregate import partial_aggregates
from tuner.advice.insights.skew import skewed_stages
from tuner.advice.insights.small_files import small_files
from tuner.advice.insights.sort_aggregate import sort_aggregates
from tuner.advice.insights.spill import spills
from tuner.advice.insights.unpruned_partitions import unpruned_partitions
from tuner.advice.insights.unpushed_filter import unpushed_filters
from tuner.advice.insights.unused_outer_join import unused_outer_joins
from tuner.frames import frames_of
from tuner.model.application import Work
from tuner.model.insight import Insight
from tuner.plan.measured_plan import MAX_WORK
from tuner.plan.queries import QueryAndPlans

Rule = Callable[[InsightFacts], Iterable[Insight]]

# A person's minute is worth more than this: less of a nightly query is not noticed, and times of stages are no surer.
MIN_SECONDS = 1.0
MIN_SHARE = 0.01

RULES: tuple[Rule, ...] = (
    outer_joins,
    unused_outer_joins,
    nested_loop_joins,
    ignored_hints,
    hash_fallbacks,
    object_hash_fallbacks,
    sort_aggregates,
    distinct_aggregates,
    partial_aggregates,
    unpushed_filters,
    unpruned_partitions,
    dropped_columns,
    duplicate_subplans,
    spills,
    skewed_stages,
    small_files,
)

_log = logging.getLogger(__name__)


def insights_of(work: Work, found: QueryAndPlans) -> tuple[Insight, ...]:
    """The insights of a finished SQL execution; none where its plan cannot be read."""
    try:
        facts = insight_facts(work, found)
    except Exception as error:
        kind = type(error).__name__
        _log.warning("a plan cannot be looked at (%s); its insights are left out\n%s", kind, frames_of(error))
        return ()
    return insights(facts)


def insights(facts: InsightFacts, rules: Iterable[Rule] = RULES) -> tuple[Insight, ...]:
    """The insights of a query that succeeded, costliest first. A bug in one rule silences only that rule.

    None for a plan so large that reading it takes long.
    """
    if not is_whole(facts.query) or facts.plan.work > MAX_WORK:
        return ()
    found: list[Insight] = []
    for rule in rules:
        try:
            found.extend([insight for insight in rule(facts) if _is_worth_a_minute(facts, insight)])
        except Exception as error:
            name, kind = getattr(rule, "__name__", rule), type(error).__name__
            _log.warning("rule %s failed (%s); its insights are left out\n%s", name, kind, frames_of(error))
    return tuple(sorted(found, key=lambda i: -i.seconds))


def _is_worth_a_minute(facts: InsightFacts, insight: Insight) -> bool:
    numbers = (insight.seconds, *(e.value for e in insight.evidence))
    enough = max(MIN_SECONDS, MIN_SHARE * facts.query_seconds)
    return all(map(math.isfinite, numbers)) and insight.seconds >= enough
