"""How many executions of a query one stands for that is kept in full: where a run has very many, most are kept in brief."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tuner.model.query import Query


def executions_for_each(queries: Sequence[Query]) -> Mapping[str, float]:
    """By fingerprint, as many as came for each in full; none where all are in brief."""
    every = Counter(query.fingerprint for query in queries)
    in_full = Counter(query.fingerprint for query in queries if not query.work_in_brief)
    return {fingerprint: every[fingerprint] / number for fingerprint, number in in_full.items()}
