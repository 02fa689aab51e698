"""Which shuffles of a query the same tasks read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tuner.advice.candidates.task_relation import shuffle_of
from tuner.model.query import Query, ShuffleExchange
from tuner.model.strategy import SHUFFLED


def read_together(query: Query, shuffles: Iterable[ShuffleExchange]) -> Sequence[Sequence[ShuffleExchange]]:
    """These shuffles of a query: those of a join's two sides together, what no join reads beside another by itself. One that is
    read again is in the groups of all who read it."""
    given = {id(shuffle): shuffle for shuffle in shuffles}
    pairs = [pair for pair in _of_joins(query) if all(id(shuffle) in given for shuffle in pair)]
    paired = {id(shuffle) for pair in pairs for shuffle in pair}
    return [*pairs, *((shuffle,) for key, shuffle in given.items() if key not in paired)]


def _of_joins(query: Query) -> Iterator[Sequence[ShuffleExchange]]:
    for join in query.joins:
        one, other = (shuffle_of(query, side) for side in join.sides)
        if join.strategy in SHUFFLED and one and other and one is not other and one.partitions == other.partitions:
            yield one, other
