"""Whether a query was slower with an action in runs that had about as much to read and to join, whatever prices say."""

from __future__ import annotations

from itertools import chain
from statistics import median

from tuner.advice.facts import Facts, is_whole
from tuner.model.action import Action
from tuner.model.directive_result import DirectiveStatus
from tuner.model.query import Query

# What is as large, give or take this factor, tells of each other; so few rows more or less are nothing.
AS_LARGE = 1.25
_FEW_ROWS = 1000
# By so much more a query takes where it is called slower: a share, and seconds.
_SLOWER_SHARE, _SLOWER_SECONDS = 0.1, 0.5


def was_slower(facts: Facts, action: Action, query: Query) -> bool:
    """Whether the runs at hand with the values of a query, and relations about as large, took longer where they followed an
    action: by their medians. Never where none was with it, or none without."""
    mine = chain.from_iterable(run.by_fingerprint.get(query.fingerprint, ()) for run in facts.earlier)
    now = (one for one in facts.queries if one.fingerprint == query.fingerprint)
    whole = (one for one in chain(mine, now) if one.literals == query.literals and is_whole(one))
    alike = [one for one in whole if _is_as_large(one, query)]
    with_it = [one.seconds for one in alike if followed(one, action)]
    without = [one.seconds for one in alike if not followed(one, action)]
    if not with_it or not without:
        return False
    return median(with_it) > (1 + _SLOWER_SHARE) * median(without) + _SLOWER_SECONDS


def followed(query: Query, action: Action) -> bool:
    """Whether the plan of an execution was as an action has it, by what the agent was told and said."""
    return any(o.action_id == action.id and o.status is DirectiveStatus.APPLIED for o in query.directives)


def _is_as_large(one: Query, other: Query) -> bool:
    """By its files, and by the rows of each relation below its joins."""
    rows, others = _rows_of_relations(one), _rows_of_relations(other)
    pairs = ((rows[part] + _FEW_ROWS, others[part] + _FEW_ROWS) for part in rows.keys() & others.keys())
    return all(_are_alike(*pair) for pair in ((one.data_bytes, other.data_bytes), *pairs))


def _rows_of_relations(query: Query) -> dict[str, int]:
    return {count.part: count.rows for count in query.row_counts if "#" in count.part}


def _are_alike(one: int, other: int) -> bool:
    return max(one, other) <= AS_LARGE * min(one, other)
