"""Advisor: filter one input of one join by the keys of the other where it is read, by the agent.

What a bloom filter drops there is neither shuffled, sorted nor grouped. Spark makes such filters by itself only for relations of
10 GB and more (InjectRuntimeFilter, SPARK-32268); what they are worth is known once a run has measured what its joins keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.bloom_filter_seconds import bloom_filter_seconds
from tuner.advice.candidates.query_gain import is_worth_it, predict_saving
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.advice.forbidden_broadcasts import forbidding_queries
from tuner.advice.steering_reach import Reach
from tuner.cost.cardinality import Basis
from tuner.cost.learned.unit_cost_fit import work_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.interval import SIZE_ERRORS
from tuner.model.action import Action, Hint
from tuner.model.change import Change, Evidence, Risk
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.plan.key_filter_sites import MOST_KEPT
from tuner.plan.relation import short_name
from tuner.spark.knobs import BLOOM_FILTER

# Spark makes none of more keys (spark.sql.optimizer.runtime.bloomFilter.maxNumItems).
MOST_KEYS = 4_000_000
MIN_GAIN_SECONDS = 0.3
MIN_GAIN_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class _Filter:
    """One site of one query: the wall seconds that it saves, saves at least if sizes are as wrong as they may be, and adds."""

    query: Query
    site: KeyFilterSite
    saved: float
    least_saved: float
    added: float

    @property
    def gain(self) -> float:
        return self.saved - self.added

    @property
    def action(self) -> Action:
        return self.site.action(self.query.fingerprint)


def advise_key_filters(facts: Facts) -> Iterator[Change]:
    """At most one filter for each input of a query, where the agent can give it."""
    switched_off = BLOOM_FILTER in facts.settings and not facts.settings[BLOOM_FILTER]
    if facts.reach is not Reach.AGENT or switched_off:
        return
    worth: dict[Action, _Filter] = {}
    for found in _worthwhile(facts):
        if found.action not in worth or found.gain > worth[found.action].gain:
            worth[found.action] = found
    yield from (_change(facts, found) for found in worth.values())


def _worthwhile(facts: Facts) -> Iterator[_Filter]:
    """Of each execution the best filter of each input, where that gains enough."""
    broadcasts = _broadcasts(facts)
    for query in facts.succeeded:
        times = times_in_run(facts, query)
        for found in _best_of(query, facts.costs, max(1, facts.cluster.cores)):
            # A broadcast drops the same rows before they are shuffled. Once it is there, the next run tells what is left to drop.
            if found.gain <= broadcasts.get((query.fingerprint, found.site.join), 0.0):
                continue
            if is_worth_it(found.gain, [query], MIN_GAIN_SECONDS, MIN_GAIN_SHARE, times):
                yield found


def _broadcasts(facts: Facts) -> dict[tuple[str, str], float]:
    """What broadcasts are to gain, by query and join: those that the job does not forbid."""
    forbidding = forbidding_queries(facts.conf, facts.queries)
    hints = (hint for hint in best_hints(facts) if hint.hint is Hint.BROADCAST)
    gains = {(hint.query.fingerprint, hint.join.signature): hint.gain for hint in hints}
    return {place: gain for place, gain in gains.items() if place[0] not in forbidding}


def _best_of(query: Query, costs: UnitCosts, cores: int) -> Iterator[_Filter]:
    """The best filter of each input, of those that can hold their keys: what it leaves for others to drop, the next run tells."""
    filters = (_priced(query, site, costs, cores) for site in query.key_filters if site.source_rows <= MOST_KEYS)
    taken: set[tuple[str, ...]] = set()
    for found in sorted(filters, key=lambda found: -found.gain):
        if found.site.relations not in taken:
            taken.add(found.site.relations)
            yield found


def _priced(query: Query, site: KeyFilterSite, costs: UnitCosts, cores: int) -> _Filter:
    work = work_seconds(site.amounts, costs) / cores
    # No more is kept than came out of the join; where that may be more than filters are worth, it tells nothing.
    off = site.kept * SIZE_ERRORS[Basis.MEASURED if site.measured else Basis.ASSUMED]
    most_kept = site.most_kept if site.most_kept <= MOST_KEPT else min(site.most_kept, off)
    added = bloom_filter_seconds(site.rows, cores) + _source_seconds(site, costs, cores)
    return _Filter(query, site, (1 - site.kept) * work, (1 - most_kept) * work, added)


def _source_seconds(site: KeyFilterSite, costs: UnitCosts, cores: int) -> float:
    """Wall seconds to make the source once more and to put its keys into the filter, on no more cores than it has tasks."""
    core_seconds = work_seconds(site.source_amounts, costs) + site.source_rows * costs.aggregate / 1e9
    return core_seconds / min(cores, site.source_tasks or cores)


def _change(facts: Facts, found: _Filter) -> Change:
    site, query = found.site, found.query
    prediction = predict_saving(query, found.saved, found.added, facts.price_error, found.least_saved)
    names = _names(site.source)
    return Change.of(
        actions=(found.action,),
        queries=(query.fingerprint,),
        reason=Reason(
            ReasonCode.KEY_FILTER,
            {
                "relation": _names(site.relations),
                "rows": site.rows,
                "source": names,
                "source_rows": site.source_rows,
                "share_kept": site.kept,
                "work_seconds": found.saved,
                "gain_seconds": prediction.gain,
            },
        ),
        evidence=(
            Evidence("rows read", site.rows, "rows", _names(site.relations)),
            Evidence("rows whose keys filter them", site.source_rows, "rows", names),
            Evidence(
                "share kept by the join" if site.measured else "share kept by its filters", site.kept, "share", names
            ),
            Evidence("shuffling, sorting and joining what is dropped", found.saved, "seconds"),
            Evidence("making the filter and asking it", found.added, "seconds"),
        ),
        prediction=prediction,
        risk=Risk.LOW,
        advisor="key_filter",
    )


def _names(relations: Sequence[str]) -> str:
    return " and ".join(map(short_name, relations))
