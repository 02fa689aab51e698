"""What a filter by key of one input of a join saves, and what it adds."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.advice.candidates.bloom_filter_seconds import bloom_filter_seconds
from tuner.cost.cardinality import Basis
from tuner.cost.learned.unit_cost_fit import work_seconds
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.interval import SIZE_ERRORS
from tuner.model.key_filter_site import KeyFilterSite
from tuner.model.query import Query


@dataclass(frozen=True, slots=True)
class PricedFilter:
    """One site of one query: the wall seconds that it saves, saves at least if sizes are as wrong as they may be, and adds."""

    query: Query
    site: KeyFilterSite
    saved: float
    least_saved: float
    added: float

    @property
    def gain(self) -> float:
        return self.saved - self.added


def priced_filter(query: Query, site: KeyFilterSite, costs: UnitCosts, cores: int) -> PricedFilter:
    """By the prices of operators, on so many cores."""
    work = work_seconds(site.amounts, costs) / cores
    most_kept = min(1.0, site.kept * SIZE_ERRORS[Basis.MEASURED if site.measured else Basis.ASSUMED])
    added = bloom_filter_seconds(site.rows, cores) + work_seconds(site.source_amounts, costs) / cores
    return PricedFilter(query, site, (1 - site.kept) * work, (1 - most_kept) * work, added)
