"""What was foretold of the changes of a deployment, beside what they came to."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

from tuner.cost.learned.prediction_errors import PredictionPair
from tuner.model.decision import DecidedChange, Decision

# No query takes less than this share of its seconds; what was measured to take less was cut by another change as well.
_LEAST = 0.02


def foretold_pairs(decisions: Iterable[Decision]) -> Iterator[PredictionPair]:
    """A pair for each change that was measured alone on its queries. `decisions` are the latest of each job.

    Where several were measured on one query, what each of them did cannot be told.
    """
    for number, decision in enumerate(decisions):
        measured = [d for d in decision.changes if d.measured_ratio is not None and not d.change.needs]
        shared = Counter(query for d in measured for query in set(d.queries))
        for decided in measured:
            if all(shared[query] == 1 for query in decided.queries) and (pair := _pair(decided, f"job {number}")):
                yield pair


def _pair(decided: DecidedChange, job: str) -> PredictionPair | None:
    foretold, ratio = decided.change.prediction, decided.measured_ratio
    if foretold is None or ratio is None or decided.change.secures or not (foretold.before > 0 and foretold.after > 0):
        return None
    measured = math.log(max(_LEAST, ratio))
    return PredictionPair(decided.change.advisor, job, math.log(foretold.after / foretold.before), measured)
