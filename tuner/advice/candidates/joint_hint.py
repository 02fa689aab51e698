"""One hint for all joins that it reaches: a query may have a join several times, and a run the query."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.query_gain import predict_gains, total_seconds
from tuner.cost.what_if.interval import Interval
from tuner.model.action import Hint
from tuner.model.change import Prediction


def joint_hint(candidates: Sequence[HintCandidate]) -> HintCandidate:
    """The candidate that gains most, with what all of them come to: the mean seconds of an execution, and the most bytes that one
    has of hash relations at once. What only secures a plan counts for its bytes, where others are to gain."""
    priced = [c for c in candidates if not c.is_secured] or candidates
    most = max(priced, key=lambda c: c.prediction.gain)
    if len(candidates) == 1:
        return most
    executions: dict[int, list[HintCandidate]] = defaultdict(list)
    for candidate in candidates:
        executions[candidate.query.id].append(candidate)
    number, largest = len({c.query.id for c in priced}), max(executions.values(), key=_relation_bytes)
    return replace(
        most,
        relation_bytes=_relation_bytes(largest),
        replaced_bytes=_replaced_bytes(largest),
        joins=len(largest),
        executions=number,
        saved_seconds=sum(c.saved_seconds for c in priced) / number,
        added_seconds=sum(c.added_seconds for c in priced) / number,
        prediction=_mean(_predict(priced), number),
    )


def _relation_bytes(of_execution: Sequence[HintCandidate]) -> int:
    """Of broadcasts those of all: once what Spark has shuffled once and read again (ReuseExchange), as it would a broadcast."""
    first = of_execution[0]
    if first.hint is not Hint.BROADCAST:
        return max(c.relation_bytes for c in of_execution)
    alike = Counter((c.relation_bytes, c.hinted.rows, c.hinted.shuffle_bytes) for c in of_execution)
    shuffled = Counter(shuffle.data_bytes for shuffle in first.query.shuffles)
    return sum(size * min(n, (data and shuffled[data]) or n) for (size, _, data), n in alike.items())


def _replaced_bytes(of_execution: Sequence[HintCandidate]) -> int:
    """Each task builds one relation, and a broadcast that several joins read is not swapped."""
    of_all = max if of_execution[0].hint is not Hint.BROADCAST else sum
    return of_all(c.replaced_bytes for c in of_execution)


def _predict(candidates: Sequence[HintCandidate]) -> Prediction:
    if candidates[0].is_secured:
        now = total_seconds(c.query for c in candidates)
        saved, added = (
            sum(seconds) for seconds in zip(*((c.saved_seconds, c.added_seconds) for c in candidates), strict=True)
        )
        return Prediction(now + saved, now + added, now, now + added)
    return predict_gains((c.query, _gain(c.prediction)) for c in candidates)


def _gain(of: Prediction) -> Interval:
    return Interval(of.before - of.high, of.gain, of.before - of.low)


def _mean(total: Prediction, number: int) -> Prediction:
    return Prediction(*(seconds / number for seconds in (total.before, total.after, total.low, total.high)))
