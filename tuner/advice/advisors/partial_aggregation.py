"""Advisor: leave out the aggregation before the shuffle where hardly any rows share a group there.

spark.sql.execution.bypassPartialAggregation (Spark 4.3, AggUtils.planAggregateWithoutDistinct) plans one aggregate after
the shuffle instead of two around it, for every aggregate with grouping keys and without DISTINCT functions or session
windows. It reaches them all, so what it saves where nearly every row is its own group is set against the rows that all
the others would shuffle.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tuner.advice.candidates.query_gain import is_worth_it
from tuner.advice.facts import Facts
from tuner.cost.unit_costs import DEFAULT_COSTS, UnitCosts
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.query import AggregateSite, Query
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import BYPASS_PARTIAL_AGGREGATION

MIN_GAIN_SECONDS = 0.5
MIN_GAIN_SHARE = 0.02
# Nanoseconds of a core for each byte of a group, beside those of its entry: written into the map, compared, read out.
# Measured on Spark 4.3 (local[2], 3M rows, nearly all groups): leaving the first half out saved 560 a row where groups
# had 24 bytes, 1,300 where they had 48; unit costs and this make 820 and 1,060.
BYTE_NS = 10.0
# Hashing before the shuffle may take half of what is assumed, the rows it kept from the shuffle twice.
UNSURE = 2.0
# No query may be foretold to lose more of its time than this.
MAX_LOSS_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class _Bypass:
    """The aggregates of a query without their first halves: wall seconds saved, and wall seconds added."""

    query: Query
    sites: tuple[AggregateSite, ...]
    saved: float
    added: float

    def gain(self, unsure: float = 1.0) -> float:
        return min(self.saved / unsure - self.added * unsure, 0.5 * self.seconds)

    @property
    def seconds(self) -> float:
        return self.query.seconds


def advise_partial_aggregation(facts: Facts) -> Iterable[Change]:
    """At most one recommendation, where the whole application gains and no query loses."""
    knob, settings = BYPASS_PARTIAL_AGGREGATION, facts.settings
    if settings.version < knob.since or knob in settings or len(facts.succeeded) < len(facts.queries):
        return
    affected = [(q, tuple(s for s in q.aggregates if s.bypassable)) for q in facts.queries]
    if any(_unknown(site) for _, sites in affected for site in sites):
        return
    # What was measured above was measured against these prices, not against what other stages make of them.
    costs, cores = DEFAULT_COSTS, max(1, facts.cluster.cores)
    found = [_price(query, sites, costs, cores) for query, sites in affected if sites]
    gain = sum(b.gain() for b in found)
    if any(b.gain(UNSURE) < -MAX_LOSS_SHARE * b.seconds for b in found):
        return
    if is_worth_it(gain, facts.queries, MIN_GAIN_SECONDS, MIN_GAIN_SHARE):
        yield _recommendation(found, gain)


def _unknown(site: AggregateSite) -> bool:
    return site.input_rows is None or site.output_rows is None or site.shuffle_bytes is None


def _price(query: Query, sites: tuple[AggregateSite, ...], costs: UnitCosts, cores: int) -> _Bypass:
    saved = sum(_saved(site, costs) for site in sites) / cores
    added = sum(_added(site, costs) for site in sites) / cores
    return _Bypass(query, sites, saved, added)


def _saved(site: AggregateSite, costs: UnitCosts) -> float:
    """Core seconds of the first half: a look-up for each row, an entry for each group, and what it spilled."""
    spill = site.spilled_bytes * (costs.shuffle_write + costs.shuffle_read)
    entries = (site.output_rows or 0) * costs.hash_build + (site.shuffle_bytes or 0) * BYTE_NS
    hashing = (site.input_rows or 0) * costs.probe + entries
    return min((hashing + spill) / 1e9, 0.5 * site.seconds * site.tasks)


def _added(site: AggregateSite, costs: UnitCosts) -> float:
    """Core seconds to shuffle and look up the rows that the first half no longer merges, each as wide as its groups."""
    rows = max(0, (site.input_rows or 0) - (site.output_rows or 0))
    width = (site.shuffle_bytes or 0) / max(1, site.output_rows or 0)
    return rows * (width * (costs.shuffle_write + costs.shuffle_read) + costs.probe) / 1e9


def _recommendation(found: list[_Bypass], gain: float) -> Change:
    before = sum(b.seconds for b in found)
    sites = [site for b in found for site in b.sites]
    rows_in, rows_out = sum(s.input_rows or 0 for s in sites), sum(s.output_rows or 0 for s in sites)
    return Change.of(
        actions=(Action(ActionKind.SET_CONF, BYPASS_PARTIAL_AGGREGATION.property, "true"),),
        queries=tuple(dict.fromkeys(b.query.fingerprint for b in found)),
        reason=Reason(
            ReasonCode.PARTIAL_AGGREGATION,
            {"aggregates": len(sites), "share_kept": rows_out / max(1, rows_in), "rows": rows_in, "gain_seconds": gain},
        ),
        evidence=(
            Evidence("rows in", rows_in, "rows", "aggregates before a shuffle"),
            Evidence("rows out", rows_out, "rows", "aggregates before a shuffle"),
            Evidence("aggregating before the shuffle", sum(b.saved for b in found), "seconds"),
            Evidence("shuffling what it merged", sum(b.added for b in found), "seconds"),
            Evidence("spilled", sum(s.spilled_bytes for s in sites), "bytes"),
        ),
        prediction=Prediction(
            before,
            before - gain,
            max(0.0, before - max(gain, sum(b.gain(1 / UNSURE) for b in found))),
            before - sum(b.gain(UNSURE) for b in found),
        ),
        risk=BYPASS_PARTIAL_AGGREGATION.risk,
        advisor="partial_aggregation",
    )
