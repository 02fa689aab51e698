"""Whether the joins that a hint was for ran as it says: one answer for live runs and for replays."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.action import Hint
from tuner.model.directive_result import DirectiveStatus
from tuner.model.join_site import JoinSite
from tuner.model.strategy import BROADCASTS, BuildSide, Strategy
from tuner.plan.joins import Join
from tuner.plan.relation import short_name

# How a hinted join then runs.
_STRATEGIES = {
    Hint.BROADCAST: BROADCASTS,
    Hint.NO_BROADCAST: frozenset(Strategy) - BROADCASTS,
    Hint.SHUFFLE_HASH: frozenset({Strategy.SHUFFLED_HASH}),
    Hint.MERGE: frozenset({Strategy.SORT_MERGE}),
}


def hint_result(hint: str, side: Sequence[str], joins: Sequence[JoinSite | Join]) -> tuple[DirectiveStatus, str]:
    """applied unless the plan shows otherwise, for all joins of the hinted signature; why not, or what it does not show.

    `side` holds the relations that were hinted (none: either side). NO_BROADCAST is of one side: the other may be broadcast.
    A build side that the plan does not tell is taken for the right one.
    """
    told = f"told {hint}" + (f" of {_names(side)}" if side else "")
    if not joins:
        return DirectiveStatus.IGNORED, f"{told}; the plan that ran has no such join"
    followed = [_is_followed(hint, side, join) for join in joins]
    if False in followed:
        join = joins[followed.index(False)]
        return DirectiveStatus.IGNORED, f"{told}; Spark ran {join.strategy}{_building(join)}"
    return DirectiveStatus.APPLIED, "the plan does not tell which side was built" if None in followed else ""


def _is_followed(hint: str, side: Sequence[str], join: JoinSite | Join) -> bool | None:
    """None where the plan does not tell."""
    if hint in (Hint.FILTER_BY_KEY, Hint.SHARE):
        return True  # runs as any other
    if hint not in _STRATEGIES or join.strategy is Strategy.UNKNOWN:
        return None
    is_run_so, builds = join.strategy in _STRATEGIES[Hint(hint)], _builds(join, side)
    if hint == Hint.MERGE:
        return is_run_so
    if hint == Hint.NO_BROADCAST:
        return is_run_so or (None if builds is None else not builds)
    return is_run_so and builds


def _builds(join: JoinSite | Join, side: Sequence[str]) -> bool | None:
    """Whether a join built the side with these relations, as far as both can be told apart."""
    left, right = sorted(join.left.relations), sorted(join.right.relations)
    if not side or left == right:
        return True
    if join.build_side is None:
        return None
    return sorted(side) == (left if join.build_side is BuildSide.LEFT else right)


def _building(join: JoinSite | Join) -> str:
    if join.build_side is None:
        return ""
    return f" building {_names((join.left if join.build_side is BuildSide.LEFT else join.right).relations)}"


def _names(relations: Sequence[str]) -> str:
    return "+".join(map(short_name, relations))
