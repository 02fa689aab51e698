"""Why something was advised, decided or taken out, as data. `tuner.words` says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

# A number with its unit in its name, a name, several of them, or None where it is not known.
Number = float | int | str | bool | tuple[str | int, ...] | None


class ReasonCode(StrEnum):
    """What a reason says; which numbers it has, its sentence in `tuner.words` tells.

    An advisor's reason has the advisor's name. recorded: a sentence that an earlier version stored, in `said`.
    """

    RECORDED = "recorded"

    # Advisors: why a change should gain.
    AGGREGATE_PARTITIONS = "aggregate_partitions"
    BROADCAST_HINT = "broadcast_hint"
    BROADCAST_THRESHOLD = "broadcast_threshold"
    BUILD_SIDE = "build_side"
    BYPASS_MERGE = "bypass_merge"
    CARD_WEIGHT = "card_weight"
    CBO = "cbo"
    CBO_OFF = "cbo_off"
    JOIN_ORDER = "join_order"
    LOCAL_MAP_THRESHOLD = "local_map_threshold"
    NO_BROADCAST = "no_broadcast"
    OBJECT_HASH_THRESHOLD = "object_hash_threshold"
    PARTIAL_AGGREGATION = "partial_aggregation"  # advised no more (docs/head-room.md); stored changes have it
    RUNTIME_FILTER = "runtime_filter"
    KEY_FILTER = "key_filter"
    SHARED_SUBPLAN = "shared_subplan"
    SECURED_BROADCAST = "secured_broadcast"
    SHUFFLE_HASH = "shuffle_hash"
    SHUFFLE_PARTITIONS = "shuffle_partitions"
    SKEW_JOIN = "skew_join"
    STATISTICS = "statistics"
    # Where a person brought a change in from another cohort's baseline.
    IMPORTED = "imported"

    # The ledger: what runs with a change showed.
    FASTER = "faster"
    SECURED = "secured"
    WITHIN_NOISE = "within_noise"
    SLOWER = "slower"
    NO_GAIN = "no_gain"
    UNLIKELY_GAIN = "unlikely_gain"
    ALLOCATED_MORE = "allocated_more"
    ALLOCATED_LESS = "allocated_less"
    LOSES_ON_SOME_NIGHTS = "loses_on_some_nights"
    HELD_OUT = "held_out"
    NO_RUN_WITHOUT = "no_run_without"
    NEVER_WITHOUT = "never_without"
    LONG_IN_FORCE = "long_in_force"
    ONE_MORE_WITHOUT = "one_more_without"
    NEVER_MEASURED = "never_measured"
    QUERY_FAILED = "query_failed"
    RUN_FAILED = "run_failed"
    NOT_FOLLOWED = "not_followed"
    NEW_TRIAL = "new_trial"
    RULED = "ruled"

    # Rules of the policy: what keeps a change out of one run.
    MAY_LOSE = "may_lose"
    LOST_ELSEWHERE = "lost_elsewhere"
    LOST_ALIKE = "lost_alike"
    WON_ELSEWHERE = "won_elsewhere"
    LENT = "lent"
    PROVEN_WITH_OTHER = "proven_with_other"
    MODE_SINCE = "mode_since"
    RULED_SINCE = "ruled_since"
    LEFT_TO_PEOPLE = "left_to_people"
    UNDIRECTABLE = "undirectable"
    WORSE_ON_OTHER_DAYS = "worse_on_other_days"
    WORSE_WITHIN_REACH = "worse_within_reach"
    OVERRULED = "overruled"
    RULED_ANOTHER = "ruled_another"
    NOT_DETERMINISTIC = "not_deterministic"
    KEPT_BY_CHECKPOINT = "kept_by_checkpoint"
    OVERSIZED = "oversized"
    BROADCASTS_OFF = "broadcasts_off"
    OTHER_VALUES_IN_EACH_RUN = "other_values_in_each_run"
    QUERIES_DO_NOT_COME_BACK = "queries_do_not_come_back"
    ON_TRIAL_IN_ANOTHER_RUN = "on_trial_in_another_run"
    VALUES_OF_OTHERS = "values_of_others"
    REORDERED_FIRST = "reordered_first"
    NOT_IN_ORDER = "not_in_order"
    TRIED_AFTER_ANOTHER = "tried_after_another"
    NEEDED_CHANGE_OUT = "needed_change_out"
    NEW_CONTEXT = "new_context"

    # What the agent held back in a run, and told as numbers.
    HELD_OTHER_VALUES = "held_other_values"
    HELD_LARGER_SIDE = "held_larger_side"
    HELD_OTHER_SIZES = "held_other_sizes"
    HELD_BETWEEN_SIZES = "held_between_sizes"
    HELD_MORE_ROWS = "held_more_rows"
    HELD_SMALL_SIDE = "held_small_side"
    HELD_WITH_ORDER = "held_with_order"
    HELD_UNMEASURED_RESULT = "held_unmeasured_result"
    HELD_LARGE_RESULT = "held_large_result"

    # Sizes: what a run gets more or less of than its job asks for.
    RAISED = "raised"
    RAISE_WORKED = "raise_worked"
    NO_MORE_MEMORY = "no_more_memory"
    SIZE_CUT = "size_cut"
    OVERHEAD_KEPT = "overhead_kept"
    EXECUTORS_CUT = "executors_cut"

    # Decisions without changes: why a run is not steered.
    FIRST_RUN = "first_run"
    NOTHING_HARVESTED = "nothing_harvested"
    ONLY_PROVEN_ON_RETRY = "only_proven_on_retry"
    RETRY_AFTER_FAILURE = "retry_after_failure"
    CHANGES_SUSPECTED = "proven_changes_suspected"
    UNSTEERED = "unsteered"
    UNOBSERVED = "unobserved"

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        """A code of a newer version, which shares the store: kept as it is."""
        if not isinstance(value, str):
            return None
        code = str.__new__(cls, value)
        code._name_, code._value_ = value.upper(), value
        return code


# What was measured and lost: such a change is a reason to wait in other jobs, too.
MEASURED_LOSSES = frozenset(
    {
        ReasonCode.SLOWER,
        ReasonCode.NO_GAIN,
        ReasonCode.UNLIKELY_GAIN,
        ReasonCode.ALLOCATED_MORE,
        ReasonCode.LOSES_ON_SOME_NIGHTS,
    }
)
# What the agent may say, with the numbers that it gives.
HELD_NUMBERS: Mapping[ReasonCode, tuple[str, ...]] = {
    ReasonCode.HELD_OTHER_VALUES: (),
    ReasonCode.HELD_LARGER_SIDE: ("bytes", "most_bytes"),
    ReasonCode.HELD_OTHER_SIZES: ("bytes", "least_bytes", "most_bytes"),
    ReasonCode.HELD_BETWEEN_SIZES: ("bytes", "least_bytes", "most_bytes", "ranges"),
    ReasonCode.HELD_MORE_ROWS: ("rows", "most_rows"),
    ReasonCode.HELD_SMALL_SIDE: ("bytes", "most_bytes"),
    ReasonCode.HELD_WITH_ORDER: (),
    ReasonCode.HELD_UNMEASURED_RESULT: (),
    ReasonCode.HELD_LARGE_RESULT: ("bytes", "most_bytes"),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A code, the numbers behind it, and other reasons that it rests on.

    `numbers` may hold `said`: the sentence of an earlier version, which stored no numbers.
    """

    code: ReasonCode
    numbers: Mapping[str, Number] = field(default_factory=dict, hash=False)
    because: tuple[Reason, ...] = ()
