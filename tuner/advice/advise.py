"""All advisors, in the order their recommendations are shown."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable

from tuner.advice.advisors.aggregate_partitions import advise_aggregate_partitions
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.advisors.broadcast_threshold import advise_broadcast_thresholds
from tuner.advice.advisors.build_side import advise_build_sides
from tuner.advice.advisors.bypass_merge import advise_bypass_merge
from tuner.advice.advisors.card_weight import advise_card_weight
from tuner.advice.advisors.cbo import advise_cbo
from tuner.advice.advisors.cbo_off import advise_cbo_off
from tuner.advice.advisors.join_order import advise_join_orders
from tuner.advice.advisors.key_filter import advise_key_filters
from tuner.advice.advisors.local_map_threshold import advise_local_map_thresholds
from tuner.advice.advisors.no_broadcast import advise_no_broadcasts
from tuner.advice.advisors.object_hash_threshold import advise_object_hash_threshold
from tuner.advice.advisors.runtime_filter import advise_runtime_filters
from tuner.advice.advisors.secured_broadcast import advise_secured_broadcasts
from tuner.advice.advisors.shared_subplan import advise_shared_subplans
from tuner.advice.advisors.shuffle_hash import advise_shuffle_hashes
from tuner.advice.advisors.shuffle_partitions import advise_shuffle_partitions
from tuner.advice.advisors.skew_join import advise_skew_joins
from tuner.advice.advisors.statistics import advise_statistics
from tuner.advice.facts import Facts
from tuner.advice.foretold_interval import with_foretold_interval
from tuner.frames import frames_of
from tuner.model.change import Change

Advisor = Callable[[Facts], Iterable[Change]]

ADVISORS: tuple[Advisor, ...] = (
    advise_broadcast_hints,
    advise_secured_broadcasts,
    advise_broadcast_thresholds,
    advise_bypass_merge,
    advise_card_weight,
    advise_cbo,
    advise_cbo_off,
    advise_join_orders,
    advise_local_map_thresholds,
    advise_shuffle_hashes,
    advise_build_sides,
    advise_no_broadcasts,
    advise_key_filters,
    advise_shared_subplans,
    advise_runtime_filters,
    advise_shuffle_partitions,
    advise_statistics,
    advise_aggregate_partitions,
    advise_object_hash_threshold,
    advise_skew_joins,
)

_log = logging.getLogger(__name__)


def advise(facts: Facts, advisors: Iterable[Advisor] = ADVISORS) -> tuple[Change, ...]:
    """The changes for a run like this one, largest gain first. A bug in one advisor silences only that one.

    Nothing whose gain is not larger than what prices and sizes are unsure of: even at worst it must gain. Nothing to joins of
    queries that will hardly come back, or that the agent leaves as they are. The interval of what is foretold is then by what
    came of such predictions before.
    """
    found: list[Change] = []
    for advisor in advisors:
        try:
            found.extend(c for c in advisor(facts) if _is_finite(c) and _is_sure(c) and not _is_unsteered(c, facts))
        except Exception as error:
            name, kind = getattr(advisor, "__name__", advisor), type(error).__name__
            _log.warning("advisor %s failed (%s); its advice is left out\n%s", name, kind, frames_of(error))
    errors = facts.prediction_errors
    return tuple(sorted((with_foretold_interval(c, errors) for c in found), key=lambda change: -_gain(change)))


def _is_unsteered(change: Change, facts: Facts) -> bool:
    """Whether it is to joins of a query that stays as it is."""
    return change.is_on_joins and change.query in facts.unsteered


def _is_sure(change: Change) -> bool:
    return change.prediction is not None and change.prediction.high < change.prediction.before


def _is_finite(change: Change) -> bool:
    """Whether its numbers can be stored (JSON has no infinity) and compared."""
    p = change.prediction
    seconds = (p.before, p.after, p.low, p.high) if p else ()
    reasons = (number for number in change.reason.numbers.values() if isinstance(number, float))
    return all(math.isfinite(number) for number in (*seconds, *reasons, *(e.value for e in change.evidence)))


def _gain(change: Change) -> float:
    return change.prediction.gain if change.prediction else 0.0
