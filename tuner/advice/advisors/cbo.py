"""Advisor: Spark's own cost-based join reordering, on where it would find better orders, off where it found worse ones.

`starSchemaDetection` orders joins only while the CBO is off (ReorderJoin), `joinReorder.dp.star.filter` only narrows the
search, and `planStats.enabled` adds nothing to `cbo.enabled` (CatalogStatistics.toPlanStats): none of them is switched on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tuner.advice.candidates.analyze_actions import analyze_actions, analyze_evidence, catalog_tables, seconds_per_run
from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.candidates.order_changes import MIN_GAIN_SECONDS, OrderChange, OrderPrices, predict_orders
from tuner.advice.candidates.spark_order_choice import spark_order_choice
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence, Prediction, Risk
from tuner.model.join_graph import JoinGraph, RelationKind
from tuner.model.query import TableRead
from tuner.model.reason import Reason, ReasonCode
from tuner.spark.knobs import CBO, JOIN_REORDER, JOIN_REORDER_ITEMS, JOIN_REORDER_STAR_FILTER

# Spark's search looks at up to 3^n pairs: more items than this would plan for seconds.
MOST_ITEMS = 14


def advise_cbo(facts: Facts) -> Iterator[Change]:
    """Switching it on, with the statistics it needs, where that gains over all queries that it would touch, and none of them
    reads partitions that it pruned.

    Not where the agent orders single blocks: it needs no statistics, and leaves alone what Spark itself reorders.
    """
    conf = CboConf.read(facts.conf)
    tables = catalog_tables(facts)
    if facts.reach is Reach.AGENT or conf.reorders or not tables:
        return
    changes = _changes(facts, conf, tables)
    names = {name for change in changes if change.is_clear for name in _names(change.graph)}
    touched = [change for change in changes if names.issuperset(_names(change.graph))]
    if not touched or not all(change.keeps_pruning for change in touched):
        return
    analyzed = [tables[name] for name in sorted(names)]
    predicted = predict_orders(touched)
    per_run = seconds_per_run(analyzed, facts)
    if predicted.gain >= MIN_GAIN_SECONDS and predicted.high + per_run < predicted.before:
        yield _recommendation(facts, conf, touched, analyzed, predicted)


def _changes(facts: Facts, conf: CboConf, tables: Mapping[str, TableRead]) -> list[OrderChange]:
    prices, choose = OrderPrices(facts), spark_order_choice(facts, conf, MOST_ITEMS)
    found = (prices.change(query, graph, choose) for query, graph in prices.blocks() if _has_tables(graph, tables))
    return [change for change in found if change is not None]


def _has_tables(graph: JoinGraph, tables: Mapping[str, TableRead]) -> bool:
    """Whether every item is a catalog table: only then does Spark know the rows of all."""
    return all(r.kind is RelationKind.SCAN for r in graph.relations) and _names(graph) <= tables.keys()


def _names(graph: JoinGraph) -> set[str]:
    return {name for relation in graph.relations for name in relation.relations}


def _recommendation(
    facts: Facts, conf: CboConf, changes: Sequence[OrderChange], tables: Sequence[TableRead], predicted: Prediction
) -> Change:
    rows, fewer = (sum(getattr(change, name) for change in changes) for name in ("rows", "other_rows"))
    items = max(len(change.graph.relations) for change in changes)
    wanted = {CBO.property: "true", JOIN_REORDER.property: "true"}
    if items > conf.threshold:
        wanted[JOIN_REORDER_ITEMS.property] = str(items)
    if conf.star_filter:
        wanted[JOIN_REORDER_STAR_FILTER.property] = "false"
    actions = [Action(ActionKind.SET_CONF, key, value) for key, value in wanted.items() if not conf.has(key, value)]
    queries = tuple(dict.fromkeys(change.query.fingerprint for change in changes))
    return Change.of(
        actions=(*actions, *analyze_actions(tables)),
        queries=queries,
        reason=Reason(
            ReasonCode.CBO, {"tables": len(tables), "rows": rows, "fewer_rows": fewer, "gain_seconds": predicted.gain}
        ),
        evidence=(
            Evidence("rows between the joins as they ran", rows, "rows"),
            Evidence("rows between them in Spark's own order", fewer, "rows"),
            Evidence("blocks that Spark would order otherwise", len(changes), "blocks"),
            Evidence("of these slower by the prices", sum(c.gain.expected < 0 for c in changes), "blocks"),
            *analyze_evidence(tables, facts),
        ),
        prediction=predicted,
        risk=Risk.MEDIUM,
        advisor="cbo",
    )
