"""What the golden texts say: reasons of every code, decisions, changes and failures, with numbers as real runs have them."""

from __future__ import annotations

from dataclasses import replace

from tuner.compare.cause import Cause, CauseCode, NotTold
from tuner.compare.operator_difference import OperatorAmounts, OperatorDifference, OperatorKind
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.failure import Failure, FailureKind
from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import COMPUTED
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.words.query_names import QueryNames

NAMES = QueryNames([Query(1, 1, "q1", "daily sales", 0, 1, QueryStatus.SUCCEEDED)])

_SIDE: dict[str, Number] = {"side": "store", "rows": 198_000, "bytes": 14_300_000}
_GAIN: dict[str, Number] = {"gain_seconds": 3.2}
_HASHED: dict[str, Number] = {"relation_bytes": 14_300_000, "most_bytes": 500_000_000}
_ORDER: dict[str, Number] = {"early": "sales and returns", "order": "sales, days, returns", **_GAIN}
_FEWER: dict[str, Number] = {**_ORDER, "rows": 90_000_000, "fewer_rows": 2_000_000}
_MEASURED: dict[str, Number] = {
    "usual_seconds": 9.0,
    "seconds": 3.0,
    "queries": 1,
    "queries_not_named": 0,
    "other_changes": 0,
    "machine_speed": 1.0,
    "gain_probability": 0.972,
}
_SLOWER: dict[str, Number] = {
    "query": "q1",
    "named": True,
    "run": "etl/1/1",
    "loss_probability": 0.995,
    "seconds": 16.0,
    "expected_seconds": 10.0,
}
_FAILED: dict[str, Number] = {
    "run": "etl/1/1",
    "seconds": 245.0,
    "failure": "broadcast timed out after 300 s",
    "query": "q1",
    "where": "query 4",
    "making": "its_own",
}
_IMPORTED: dict[str, Number] = {
    "cohort": "etl.nightly",
    "as_of": "2026-11-24",
    "seconds": 6.4,
    "low_seconds": 5.9,
    "high_seconds": 7.0,
    "runs": 12,
    "spark_version": "4.0.1",
}
_RULED: dict[str, Number] = {"ruling": "reject", "by": "ana", "reason": "days grows"}
_NO_GAIN = Reason(ReasonCode.NO_GAIN, {"runs": 3})
_SHUFFLED = Reason(
    ReasonCode.BROADCAST_HINT,
    {**_SIDE, "other_rows": 1_400_000, "shuffled_bytes": 3_200_000_000, "by_aqe": False, **_GAIN},
)
RAISED = Reason(ReasonCode.RAISED, {"run": "etl/1", "before": "2048m", "failure": "an executor ran out of memory"})
_MAY_LOSE = Reason(ReasonCode.MAY_LOSE, {"worst_loss_seconds": 4.0, "allowed_seconds": 0.5})


def _with(numbers: dict[str, Number], **other: Number) -> dict[str, Number]:
    return {**numbers, **other}


def _before_evidence(numbers: dict[str, Number], name: str) -> dict[str, Number]:
    """As an earlier version stored it: with the noise, not with how sure it was."""
    return {key: value for key, value in numbers.items() if key != name} | {"noise": 0.14}


REASONS: tuple[Reason, ...] = (
    Reason(ReasonCode.RECORDED, {"said": "14.3 MB of 10 MB: about 9.0 s less"}),
    Reason(
        ReasonCode.AGGREGATE_PARTITIONS,
        {"partitions": 32, "partitions_before": 8, "hash_map_bytes": 6_000_000_000, "tasks": 8, **_GAIN},
    ),
    _SHUFFLED,
    Reason(ReasonCode.BROADCAST_HINT, {**_SHUFFLED.numbers, "by_aqe": True}),
    Reason(ReasonCode.BROADCAST_HINT, {**_SHUFFLED.numbers, "is_counted": False, "is_sorted": True}),
    Reason(ReasonCode.BROADCAST_HINT, {**_SHUFFLED.numbers, "is_counted": True, "is_sorted": False}),
    Reason(ReasonCode.BROADCAST_THRESHOLD, {"joins": 1, "queries": 1, **_SIDE, **_GAIN}),
    Reason(ReasonCode.BROADCAST_THRESHOLD, {"joins": 3, "queries": 2, **_SIDE, **_GAIN}),
    Reason(
        ReasonCode.BUILD_SIDE,
        {
            "side": "store",
            "rows": 198_000,
            "relation_bytes": 14_300_000,
            "side_before": "customer",
            "rows_before": 1_900_000,
            "relation_bytes_before": 284_000_000,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.BYPASS_MERGE,
        {"partitions": 100, "tasks": 64, "files": 6400.0, "file_bytes": 1_200.0, "rows": 90_000, **_GAIN},
    ),
    Reason(
        ReasonCode.CARD_WEIGHT,
        {"weight": 0.8, "share_ranked": 0.9, "share_ranked_before": 0.65, "pairs": 40, "blocks": 3, **_GAIN},
    ),
    Reason(ReasonCode.CBO, {"tables": 4, "rows": 90_000_000, "fewer_rows": 2_000_000, **_GAIN}),
    Reason(ReasonCode.CBO_OFF, {"queries": 2, "seconds": 94.0, "seconds_as_written": 52.0}),
    Reason(
        ReasonCode.JOIN_ORDER,
        _with(_FEWER, broadcasts=("days",), most_broadcast_rows=(366,), times_before=None),
    ),
    Reason(ReasonCode.JOIN_ORDER, _with(_FEWER, broadcasts=(), most_broadcast_rows=(), times_before=2)),
    # As an earlier version stored it.
    Reason(ReasonCode.JOIN_ORDER, _with(_ORDER, rows=None, fewer_rows=None, broadcasts=(), most_broadcast_rows=())),
    Reason(
        ReasonCode.KEY_FILTER,
        {
            "relation": "sales",
            "rows": 20_000_000,
            "source": "item",
            "source_rows": 300,
            "share_kept": 0.01,
            "work_seconds": 4.1,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.SHARED_SUBPLAN,
        {
            "relations": "date_dim and store_sales",
            "times": 3,
            "rows": 28_800_991,
            "group_rows": 54_648,
            "added_seconds": 0.04,
            **_GAIN,
        },
    ),
    Reason(ReasonCode.LOCAL_MAP_THRESHOLD, {"joins": 3, "queries": 2, **_HASHED, **_GAIN}),
    Reason(
        ReasonCode.NO_BROADCAST,
        {
            "side": "store",
            "rows": 20_000_000,
            "broadcast_seconds": 31.0,
            "relation_bytes": 2_000_000_000,
            "most_bytes": None,
            "shuffle_seconds": 12.0,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.NO_BROADCAST,
        {
            "side": "store",
            "rows": 20_000_000,
            "broadcast_seconds": 31.0,
            "relation_bytes": 2_000_000_000,
            "most_bytes": 500_000_000,
            "shuffle_seconds": 12.0,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.OBJECT_HASH_THRESHOLD,
        {
            "keys": 4096,
            "keys_before": 128,
            "keys_in_a_task": 2000.0,
            "rows": 20_000_000,
            "object_bytes": 40_000_000,
            "most_bytes": 500_000_000,
            **_GAIN,
        },
    ),
    Reason(ReasonCode.PARTIAL_AGGREGATION, {"aggregates": 1, "share_kept": 0.998, "rows": 40_000_000, **_GAIN}),
    Reason(
        ReasonCode.RUNTIME_FILTER,
        {"relation": "sales", "rows": 20_000_000, "filters": "item and days", "share_kept": 0.01, **_GAIN},
    ),
    Reason(
        ReasonCode.SECURED_BROADCAST,
        {
            **_SIDE,
            "other_rows": 1_400_000,
            "least_shuffle_bytes": 33_600_000,
            "runs": 5,
            "timely_runs": 4,
            "late_seconds": 2.1,
        },
    ),
    Reason(
        ReasonCode.SHUFFLE_HASH,
        {"side": "customer", "rows": 1_000_000, "other_rows": 20_000_000, **_HASHED, **_GAIN},
    ),
    Reason(
        ReasonCode.SHUFFLE_PARTITIONS,
        {
            "partitions": 32,
            "partitions_before": 200,
            "largest_bytes": 50_000_000,
            "partition_bytes": 250_000.0,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.SHUFFLE_PARTITIONS,
        {
            "partitions": 800,
            "partitions_before": 200,
            "largest_bytes": 200_000_000_000,
            "partition_bytes": 1_000_000_000.0,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.SHUFFLE_PARTITIONS,
        {
            "partitions": 800,
            "partitions_before": 200,
            "largest_bytes": 300_000_000_000,
            "partition_bytes": 1_500_000_000.0,
            "cores": 800,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.SKEW_JOIN,
        {
            "join": "sales and item",
            "tasks": 200,
            "longest_task_bytes": 4_000_000_000,
            "longest_task_seconds": 310.0,
            "mean_task_bytes": 60_000_000,
            "mean_task_seconds": 4.5,
            "pieces": 16,
            **_GAIN,
        },
    ),
    Reason(
        ReasonCode.STATISTICS,
        {
            "side": "customers",
            "estimated_bytes": 40_000_000,
            "measured_bytes": 4_000_000,
            "joins": 2,
            "analyze_seconds": 12.0,
            **_GAIN,
        },
    ),
    Reason(ReasonCode.FASTER, _MEASURED),
    Reason(ReasonCode.SECURED, _MEASURED),
    Reason(
        ReasonCode.FASTER,
        _with(_MEASURED, queries=4, queries_not_named=1, other_changes=2, machine_speed=1.12),
    ),
    Reason(ReasonCode.FASTER, _with(_MEASURED, queries_not_named=1, other_changes=1, machine_speed=0.9)),
    Reason(ReasonCode.FASTER, _before_evidence(_MEASURED, "gain_probability")),
    Reason(ReasonCode.WITHIN_NOISE, _with(_MEASURED, seconds=8.9, gain_probability=0.61)),
    Reason(ReasonCode.WITHIN_NOISE, _with(_MEASURED, seconds=9.6, gain_probability=0.63)),
    Reason(ReasonCode.UNLIKELY_GAIN, _with(_MEASURED, seconds=10.4, gain_probability=0.09)),
    Reason(ReasonCode.UNLIKELY_GAIN, _with(_MEASURED, seconds=8.9, gain_probability=0.09)),
    Reason(ReasonCode.WITHIN_NOISE, _with(_before_evidence(_MEASURED, "gain_probability"), seconds=8.9)),
    Reason(ReasonCode.SLOWER, _SLOWER),
    Reason(ReasonCode.SLOWER, _before_evidence(_SLOWER, "loss_probability")),
    Reason(ReasonCode.HELD_OUT, {"query": "q1", "run": "etl/1/1", "seconds": 16.0, "expected_seconds": 10.0}),
    Reason(
        ReasonCode.LOSES_ON_SOME_NIGHTS, {"query": "q1", "run": "etl/1/1", "seconds": 160.0, "expected_seconds": 40.0}
    ),
    Reason(ReasonCode.ONE_MORE_WITHOUT, {"runs": 4}),
    Reason(ReasonCode.LONG_IN_FORCE, {"run": "etl/1/1"}),
    Reason(ReasonCode.NEVER_WITHOUT),
    Reason(ReasonCode.NO_RUN_WITHOUT, {"run": "etl/1/1"}),
    Reason(ReasonCode.OTHER_VALUES_IN_EACH_RUN, {"runs": 2}),
    Reason(ReasonCode.QUERIES_DO_NOT_COME_BACK),
    Reason(ReasonCode.SLOWER, _with(_SLOWER, named=False)),
    _NO_GAIN,
    *(
        Reason(code, {"run": "etl/1/1", "core_hours": held, "expected_core_hours": 2.5, "probability": 0.962})
        for code, held in ((ReasonCode.ALLOCATED_MORE, 3.75), (ReasonCode.ALLOCATED_LESS, 1.5))
    ),
    Reason(ReasonCode.NEVER_MEASURED, {"runs": 3}),
    Reason(ReasonCode.QUERY_FAILED, {"query": "q1", "run": "etl/1/1", "failure": "out of memory in a task"}),
    Reason(ReasonCode.QUERY_FAILED, {"query": "q1", "run": "etl/1/1", "failure": ""}),
    Reason(ReasonCode.QUERY_FAILED, {"query": "q1", "run": "etl/1/1", "failure": "", "making": "suspected"}),
    *(
        Reason(ReasonCode.RUN_FAILED, _with(_FAILED, making=making))
        for making in (
            "its_own",
            "nothing_new",
            "another",
            "suspected",
            "no_trial_told",
            "succeeded_without",
            "failed_twice",
        )
    ),
    Reason(ReasonCode.RUN_FAILED, _with(_FAILED, query=None)),
    Reason(ReasonCode.RUN_FAILED, _with(_FAILED, query=None, where="")),
    Reason(ReasonCode.RUN_FAILED, _with(_FAILED, seconds=None, failure="", query=None, making="another")),
    Reason(ReasonCode.NOT_FOLLOWED, {"status": "ignored", "run": "etl/1/1", "why": "the agent did not load"}),
    Reason(ReasonCode.NOT_FOLLOWED, {"status": "held", "run": "etl/1/1", "why": ""}),
    Reason(
        ReasonCode.NOT_FOLLOWED,
        {"status": "held", "run": "etl/1/1", "why": ""},
        (Reason(ReasonCode.HELD_LARGER_SIDE, {"bytes": 900_000_000, "most_bytes": 500_000_000}),),
    ),
    Reason(ReasonCode.HELD_OTHER_VALUES),
    Reason(ReasonCode.HELD_LARGER_SIDE, {"bytes": 900_000_000, "most_bytes": 500_000_000}),
    Reason(ReasonCode.HELD_OTHER_SIZES, {"bytes": 900_000_000, "least_bytes": 100_000_000, "most_bytes": 500_000_000}),
    Reason(
        ReasonCode.HELD_BETWEEN_SIZES,
        {"bytes": 900_000_000, "least_bytes": 2_000_000_000, "most_bytes": 9_000_000_000, "ranges": 2},
    ),
    Reason(ReasonCode.HELD_MORE_ROWS, {"rows": 1_200_000, "most_rows": 8_000}),
    Reason(ReasonCode.HELD_SMALL_SIDE, {"bytes": 90_000, "most_bytes": 10_485_760}),
    Reason(ReasonCode.HELD_WITH_ORDER),
    Reason(ReasonCode.HELD_UNMEASURED_RESULT),
    Reason(ReasonCode.HELD_LARGE_RESULT, {"bytes": 900_000_000, "most_bytes": 110_000_000}),
    RAISED,
    Reason(ReasonCode.RAISE_WORKED, {"run": "etl/2"}, (RAISED,)),
    Reason(ReasonCode.SIZE_CUT, {"runs": 4, "needed_bytes": 1_500_000_000, "run": "etl/3"}),
    Reason(ReasonCode.OVERHEAD_KEPT),
    Reason(ReasonCode.NO_MORE_MEMORY, {"run": "etl/1", "failure": "an executor ran out of memory"}),
    Reason(ReasonCode.EXECUTORS_CUT, {"runs": 4, "executors": 16, "needed": 5}),
    Reason(ReasonCode.NEW_TRIAL, {"difference": "Spark 4.3 instead of 4.2"}),
    Reason(ReasonCode.RULED, _RULED),
    Reason(ReasonCode.RULED, _with(_RULED, ruling="pin", reason="")),
    Reason(ReasonCode.RULED, _with(_RULED, ruling="rollback"), (_NO_GAIN,)),
    _MAY_LOSE,
    Reason(ReasonCode.LOST_ELSEWHERE, {"won": 1, "jobs": 4}),
    Reason(ReasonCode.LOST_ALIKE, {"value": "400"}, (_NO_GAIN,)),
    Reason(ReasonCode.WON_ELSEWHERE, {"won": 1, "jobs": 1}, (_SHUFFLED,)),
    Reason(ReasonCode.LENT, {"jobs": 2, "runs": 5, "days": 2, "seconds": 6.4}, (_SHUFFLED,)),
    Reason(ReasonCode.LENT, {"jobs": 1, "runs": 1, "days": 0, "seconds": 6.4}, (_SHUFFLED,)),
    Reason(ReasonCode.IMPORTED, _IMPORTED),
    Reason(ReasonCode.IMPORTED, _IMPORTED, (_SHUFFLED,)),
    Reason(ReasonCode.IMPORTED, _with(_IMPORTED, low_seconds=None, high_seconds=None, runs=None)),
    Reason(ReasonCode.IMPORTED, _with(_IMPORTED, seconds=None, low_seconds=None, high_seconds=None, runs=None)),
    Reason(ReasonCode.IMPORTED, {name: number for name, number in _IMPORTED.items() if name != "cohort"}),
    Reason(ReasonCode.PROVEN_WITH_OTHER, {"difference": "inputs of 40.0 GB instead of 2.0 GB"}),
    Reason(ReasonCode.MODE_SINCE, {"mode": "auto"}),
    Reason(ReasonCode.RULED_SINCE, _with(_RULED, standing="held")),
    Reason(ReasonCode.RULED_SINCE, _with(_RULED, ruling="approve", reason="", standing="trial")),
    Reason(ReasonCode.RULED_SINCE, _with(_RULED, ruling="approve", standing="proposed", mode="observe")),
    Reason(ReasonCode.RULED_SINCE, _with(_RULED, ruling="approve", reason="", standing="held"), (_SHUFFLED, _MAY_LOSE)),
    Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": ("order_joins",)}),
    Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": ("analyze_table", "hint_join", "order_joins", "set_conf")}),
    Reason(ReasonCode.UNDIRECTABLE, {"why": "its query did not run in the latest run, and has not come back so far"}),
    Reason(ReasonCode.WORSE_ON_OTHER_DAYS, {"seconds": 12.4, "replaced_seconds": 8.1, "executions": 7}),
    Reason(ReasonCode.WORSE_WITHIN_REACH, {"seconds": 12.4, "replaced_seconds": 8.1, "executions": 7}),
    Reason(ReasonCode.OVERRULED, {"property": "spark.sql.shuffle.partitions", "value": "500"}),
    Reason(
        ReasonCode.RULED_ANOTHER,
        because=(Reason(ReasonCode.RULED, {"ruling": "pin", "by": "ana", "reason": "as in the other cluster"}),),
    ),
    Reason(ReasonCode.NOT_DETERMINISTIC, {"query": "q1", "what": "rand"}),
    Reason(ReasonCode.KEPT_BY_CHECKPOINT, {"property": "spark.sql.shuffle.partitions"}),
    Reason(ReasonCode.OVERSIZED, {"bytes": 900_000_000, "most_bytes": 500_000_000}),
    Reason(ReasonCode.BROADCASTS_OFF, {"property": "spark.sql.autoBroadcastJoinThreshold"}),
    Reason(ReasonCode.ON_TRIAL_IN_ANOTHER_RUN, {"run": "etl/1/1"}),
    Reason(ReasonCode.VALUES_OF_OTHERS),
    Reason(ReasonCode.REORDERED_FIRST),
    Reason(ReasonCode.NOT_IN_ORDER),
    Reason(ReasonCode.TRIED_AFTER_ANOTHER),
    Reason(ReasonCode.NEEDED_CHANGE_OUT, {"standing": "rolled_back"}),
    Reason(ReasonCode.NEW_CONTEXT, {"difference": "17 cores instead of 8"}),
    Reason(ReasonCode.FIRST_RUN),
    Reason(ReasonCode.NOTHING_HARVESTED),
    Reason(ReasonCode.ONLY_PROVEN_ON_RETRY, {"try_number": 2}),
    Reason(ReasonCode.RETRY_AFTER_FAILURE, {"try_number": 3}),
    Reason(ReasonCode.CHANGES_SUSPECTED, {"run": "etl/1/1", "changes": 2}),
    Reason(ReasonCode.UNSTEERED, {"why": "no decision"}),
    Reason(ReasonCode.UNSTEERED, {"why": ""}),
    Reason(ReasonCode.UNOBSERVED, {"why": "the job sets spark.eventLog.enabled=false, nothing can be measured"}),
)

ACTIONS = (
    Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "32"),
    Action(ActionKind.HINT_JOIN, "5160", Hint.SHUFFLE_HASH, "q1", ("shop.days",)),
    Action(ActionKind.HINT_JOIN, "5160", Hint.BROADCAST, "q1", ("/lake/1-days",)),
    Action(ActionKind.HINT_JOIN, "5160", Hint.BROADCAST, "q1", ("shop.days", "shop.items")),
    Action(ActionKind.HINT_JOIN, "5160", Hint.NO_BROADCAST, "q1", ("shop.days",)),
    Action(ActionKind.HINT_JOIN, "5160", Hint.FILTER_BY_KEY, "q1", ("shop.days",)),
    Action(ActionKind.HINT_JOIN, "5160", Hint.SHARE, "q1", ("shop.days", "shop.sales")),
    Action(ActionKind.ORDER_JOINS, "5160", "((a b) c)", "q1"),
    Action(ActionKind.ANALYZE_TABLE, "shop.days", "d, week"),
    Action(ActionKind.ANALYZE_TABLE, "shop.days", ""),
)


def _change(*actions: Action) -> Change:
    return Change.of("test", actions, ("q1",), _SHUFFLED, (), None)


CHANGES = (_change(ACTIONS[0], ACTIONS[-1]),)


def _decided(standing: Standing, why: Reason = _SHUFFLED, held: Reason | None = None) -> DecidedChange:
    return DecidedChange(CHANGES[0], standing, why, held)


DECIDED = (
    _decided(Standing.TRIAL),
    _decided(Standing.PROMOTED, Reason(ReasonCode.FASTER, _MEASURED)),
    _decided(Standing.ROLLED_BACK, Reason(ReasonCode.SLOWER, _SLOWER)),
    _decided(Standing.HELD, held=_MAY_LOSE),
    _decided(Standing.PROPOSED, held=Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": ("order_joins",)})),
    _decided(Standing.TRIAL, held=Reason(ReasonCode.MODE_SINCE, {"mode": "auto"})),
)

_HINT = DecidedChange(_change(next(a for a in ACTIONS if a.kind is ActionKind.HINT_JOIN)), Standing.TRIAL, _SHUFFLED)
_DAYS, _MANY = ("shop.sales.day",), ("/lake/sales.day,shop.days.day", "shop.sales.batch", "shop.sales.id")
FOR_VALUES = (
    _HINT,
    replace(_HINT, literals=("a0",)),
    replace(_HINT, literals=("a0", "b1")),
    replace(_HINT, literals=("a0",), neutral=_DAYS),
    replace(_HINT, literals=("a0", "b1"), neutral=_MANY),
    replace(_HINT, literals=("a0",), neutral=(f"{COMPUTED}0123456789abcdef", *_DAYS)),
)

# Each its own trial; and an order with what needs it, which are one.
_APART = tuple(replace(one, change=replace(one.change, id=str(n))) for n, one in enumerate(DECIDED))
_ORDER = replace(_HINT, change=_change(next(a for a in ACTIONS if a.kind is ActionKind.ORDER_JOINS)))
_TOGETHER = (_ORDER, replace(_HINT, change=replace(_HINT.change, needs=_ORDER.id)))

DECISIONS = (
    Decision(Mode.AUTO, (), unsteered=Reason(ReasonCode.FIRST_RUN)),
    Decision(Mode.AUTO, (), lent=DECIDED),
    Decision(Mode.AUTO, ()),
    Decision(Mode.OBSERVE, ()),
    Decision(Mode.AUTO, _APART),
    Decision(Mode.AUTO, _TOGETHER),
    Decision(Mode.OBSERVE, _APART[3:5]),
)

FAILURES = (
    Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", "q1", "query 4"),
    Failure(FailureKind.EXECUTOR_LOST, "lost", None, "executor 3"),
    Failure(FailureKind.KILLED, "killed by SIGTERM"),
)

_READ: dict[str, Number] = {
    "bytes": 82_000_000_000,
    "bytes_before": 41_000_000_000,
    "rows": 2_000_000,
    "rows_before": 1_000_000,
    "values": False,
    "table": "",
}
_NO_PLAN: dict[str, Number] = {"kind": ""}
_STRATEGY: dict[str, Number] = {
    "kind": "strategy",
    "before": "BroadcastHashJoin",
    "after": "SortMergeJoin",
    "left": "sales",
    "right": "days",
    "build_side_before": "right",
    "build_side": "",
    "by_aqe": False,
    "more": 0,
    "values": False,
}
_JOIN: dict[str, Number] = {"left": "sales", "right": "days", "rows": 900_000_000, "rows_before": 30_000_000}
_SAME_INPUT: dict[str, Number] = {"times": 2.4, "same_input": True}
_SETTING: dict[str, Number] = {
    "version": "",
    "version_before": "",
    "properties": ("spark.sql.adaptive.enabled",),
    "values_after": ("false",),
    "values_before": ("",),
    "more_settings": 0,
}
_PROCESSORS: dict[str, Number] = {
    "cpu_seconds": 900.0,
    "expected_cpu_seconds": 600.0,
    "retries": 0,
    "retries_before": 0,
}
_WAITING: dict[str, Number] = {
    "waiting_share": 0.75,
    "waiting_share_before": 0.2,
    "spilled_bytes": 40_000_000_000,
    "spilled_bytes_before": 0,
}
_EDITED: dict[str, Number] = {
    "fingerprint_before": "34e15125579ce4ad",
    "reads_now": ("customers", "regions", "shops", "days"),
    "read_before": ("returns",),
    "by_other_rules": False,
    "changes_out": (),
}
_RAN: dict[str, Number] = {"executions": 3, "executions_before": 2, "state": "succeeded"}


def _cause(code: CauseCode, numbers: dict[str, Number], **other: Number) -> Cause:
    return Cause(code, 60.0, {**numbers, **other})


CAUSES: tuple[Cause, ...] = (
    _cause(CauseCode.INPUT, _READ),
    _cause(CauseCode.INPUT, _READ, bytes=44_000_000_000, values=True, table="sales"),
    _cause(CauseCode.INPUT, _READ, bytes=0, rows=520_000),
    _cause(CauseCode.INPUT, _READ, largest_of=3),
    _cause(CauseCode.ROWS, _JOIN, **_SAME_INPUT),
    _cause(CauseCode.ROWS, {"left": "", "right": ""}, times=0.6, same_input=False),
    _cause(CauseCode.VALUES, _SAME_INPUT, columns=("d_date", "store_id")),
    _cause(CauseCode.VALUES, _SAME_INPUT, columns=()),
    _cause(CauseCode.PLAN, _STRATEGY),
    _cause(CauseCode.PLAN, _STRATEGY, by_aqe=True, more=2, values=True),
    _cause(CauseCode.PLAN, _STRATEGY, after="BroadcastHashJoin", build_side="left"),
    _cause(CauseCode.PLAN, _STRATEGY, kind="order"),
    _cause(CauseCode.PLAN, _STRATEGY, kind="join", before=""),
    _cause(CauseCode.PLAN, _STRATEGY, kind="join", after=""),
    _cause(CauseCode.PLAN, _STRATEGY, kind="aggregate", before="HashAggregate", after="SortAggregate"),
    _cause(CauseCode.CHANGES, _STRATEGY, changes_in=(), changes_out=(CHANGES[0].id,), left_out=()),
    _cause(CauseCode.CHANGES, _STRATEGY, changes_in=(), changes_out=(CHANGES[0].id,), left_out=(CHANGES[0].id,)),
    _cause(CauseCode.CHANGES, _NO_PLAN, changes_in=(CHANGES[0].id, "gone", "gone too"), changes_out=(), left_out=()),
    _cause(CauseCode.SETTINGS, _NO_PLAN, **_SETTING),
    _cause(
        CauseCode.SETTINGS,
        _with(_STRATEGY, kind="partitions", before="200", after="2000"),
        **_with(_SETTING, version="4.1.0", version_before="4.0.1", more_settings=2),
    ),
    _cause(CauseCode.CORES, {"cores": 20, "cores_before": 40}),
    _cause(CauseCode.TASKS_AT_ONCE, {"tasks_at_once": 12.2, "tasks_at_once_before": 38.0}),
    _cause(CauseCode.PROCESSORS, _PROCESSORS),
    _cause(CauseCode.PROCESSORS, _PROCESSORS, retries=3),
    _cause(CauseCode.WAITING, _WAITING),
    _cause(CauseCode.WAITING, _WAITING, spilled_bytes_before=10_000_000_000),
    _cause(CauseCode.WAITING, _WAITING, spilled_bytes=0),
    _cause(CauseCode.MACHINE, {"speed": 1.3}),
    _cause(CauseCode.EDITED, _EDITED, **_NO_PLAN),
    _cause(CauseCode.EDITED, _EDITED, **_STRATEGY, largest_of=3),
    _cause(CauseCode.EDITED, _EDITED, **{**_STRATEGY, "kind": "join", "before": ""}, reads_now=(), read_before=()),
    _cause(CauseCode.EDITED, _EDITED, **_NO_PLAN, reads_now=(), read_before=(), by_other_rules=True),
    _cause(CauseCode.EDITED, _EDITED, **_NO_PLAN, changes_out=(CHANGES[0].id,)),
    _cause(
        CauseCode.EDITED, _with(_EDITED, changes_out=("gone", "gone too")), **_STRATEGY, reads_now=(), read_before=()
    ),
    _cause(CauseCode.APPEARED, _RAN),
    _cause(CauseCode.DISAPPEARED, _RAN),
    _cause(CauseCode.DISAPPEARED, _RAN, state="failed"),
    _cause(CauseCode.DISAPPEARED, _RAN, state="partial"),
    _cause(CauseCode.EXECUTIONS, _RAN),
    _cause(CauseCode.FAILED, {"status": "failed", "status_before": "succeeded"}),
    _cause(CauseCode.OUTSIDE, {"seconds": 190.0, "seconds_before": 10.0}),
    _cause(CauseCode.NOT_TOLD, {"why": NotTold.UNMEASURED}),
    _cause(CauseCode.NOT_TOLD, _STRATEGY, why=NotTold.PLAN_OR_MACHINE),
    _cause(CauseCode.NOT_TOLD, {"why": NotTold.PLAN_OR_MACHINE}),
    _cause(CauseCode.NOT_TOLD, {"why": NotTold.PLAN_NOT_KEPT}),
    _cause(CauseCode.NOT_TOLD, {"why": NotTold.VERSION_OR_MACHINE}),
)

_SCANNED = OperatorAmounts(1_400_000, 14_300_000)
_HASHED_JOIN = OperatorAmounts(1_400_000, 14_300_000, None, "BroadcastHashJoin", "right")
OPERATORS: tuple[OperatorDifference, ...] = (
    OperatorDifference(OperatorKind.SCAN, _SCANNED, OperatorAmounts(2_800_000, 28_600_000), "sales"),
    OperatorDifference(
        OperatorKind.JOIN, _HASHED_JOIN, OperatorAmounts(1_400_000, 90_000_000, 4.2, "SortMergeJoin"), "sales", "days"
    ),
    OperatorDifference(OperatorKind.SORT, None, OperatorAmounts(9_000_000, None, 4.2)),
    OperatorDifference(OperatorKind.BROADCAST, OperatorAmounts(366, 1_000_000, 0.2), None),
)
