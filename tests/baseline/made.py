"""A baseline of three changes: an order of joins with its hint, a hint alone, a property that is pinned. And what people said."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Risk
from tuner.model.cluster import Cluster
from tuner.model.decision import Mode, Standing
from tuner.model.exported_baseline import ExportedBaseline, ProvenGain, ProvenTrial, Refused, Ruled, SaidThere
from tuner.model.objective import Objective
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import ModeChange, ObjectiveChange, Ruling

Q1, Q2 = "a" * 16, "b" * 16
LABELS = ("1" * 16, "2" * 16, "2" * 16 + "~2")
ORDER = Action(ActionKind.ORDER_JOINS, "c" * 16, f"(({LABELS[0]} {LABELS[1]}) {LABELS[2]})", Q1)
CALLED_FOR = Action(ActionKind.HINT_JOIN, "d" * 16, "BROADCAST", Q1, ("db.days",))
HINT = Action(ActionKind.HINT_JOIN, "e" * 16, "SHUFFLE_HASH", Q2, ("/lake/ü", "db.items"))
PROPERTY = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16")
_WHY = Reason(ReasonCode.RECORDED, {"said": "what an advisor said"})


def change(*actions: Action, queries: tuple[str, ...], needs: str = "", secures: bool = False) -> Change:
    return Change.of("test", actions, queries, _WHY, (), None, Risk.MEDIUM, needs, secures=secures)


ORDERED = (change(ORDER, queries=(Q1,)), change(CALLED_FOR, queries=(Q1,), needs=ORDER.id))
HINTED = (change(HINT, queries=(Q2,), secures=True),)
SET = (change(PROPERTY, queries=(Q1, Q2)),)
PINNED = Ruled(Ruling.PIN, "ana", datetime(2026, 11, 20, 9, 30, tzinfo=UTC), "since the move")

BASELINE = ExportedBaseline(
    "etl.nightly",
    date(2026, 11, 24),
    "4.0.1",
    Cluster(8, 2, 4, 4 << 30, 2 << 30),
    (
        ProvenTrial(
            ORDERED, Standing.PROMOTED, {Q1: "daily sales"}, ProvenGain(16.5, 15.25, 17.0, 12), None, 2 * 10**9
        ),
        ProvenTrial(HINTED, Standing.PROMOTED, {Q2: "returns ⋈ items"}, ProvenGain(0.4)),
        ProvenTrial(SET, Standing.PINNED, {Q1: "daily sales", Q2: "returns ⋈ items"}, None, PINNED),
    ),
)

_SAID_AT = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)
REJECTED = Ruled(Ruling.REJECT, "ben", _SAID_AT, "too large for the driver")
SAID = SaidThere(
    ModeChange("etl.nightly", Mode.OBSERVE, "ana", _SAID_AT, "quarter end"),
    ObjectiveChange("etl.nightly", Objective.COST, "ana", _SAID_AT),
    (
        Refused(f"hint_join:{Q1}/{'9' * 16}=BROADCAST(db.items)", "/*+ BROADCAST(items) */ in daily sales", REJECTED),
        Refused("set_conf:spark.sql.shuffle.partitions=64", "spark.sql.shuffle.partitions=64", REJECTED),
    ),
)
