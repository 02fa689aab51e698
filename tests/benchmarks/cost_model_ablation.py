"""What each part of the cost model is worth: how well it foretells a query's core time in another plan, from one plan measured.

    python -m tests.benchmarks.cost_model_ablation LOG...

LOG is of `tests/benchmarks/agent_tpcds.py DIRECTORY results`: each query as written, and in random orders with random hints. What
was measured of the plan as written foretells each of the other plans, which is compared with the time that its tasks then had
a processor (they wait for one as long as other work on the machine makes them). Orders and strategies of joins are those that
ran. `sizes known` takes the amounts of work of the other plan as they were measured: what is off then is the prices' own error.

Prices are calibrated with all other queries of the log as written (`queries left out`), or ship with the tuner (`jobs left
out`). One line a part: the bias (the median of foretold over measured: prices are of run times, which hold the waiting for a
processor); the error either way beside it (median, 90 %); Spearman's rank correlation of the changes foretold and measured; and
the regret: how many times as long the plan takes that would be chosen as the best one of its query, over all queries.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import numpy as np
from scipy.stats import spearmanr

from tuner.advice.candidates.order_changes import OrderPrices, fixed_share
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.join_tree import JoinTree, tree_cost, tree_of
from tuner.cost.learned.calibrated_model import calibrated_model
from tuner.cost.learned.operator_times import OperatorTimes, shipped_model
from tuner.cost.learned.query_samples import samples
from tuner.cost.learned.unit_cost_fit import stage_nanoseconds
from tuner.cost.what_if.physical_order import Given, GivenJoin
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.cluster import Cluster
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.query import Query
from tuner.model.strategy import Strategy
from tuner.plan.order_text import order_names
from tuner.plan.queries import queries
from tuner.spark.order_cost import weighted_sum

WRITTEN = "plain"
_GIVEN = frozenset({Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH, Strategy.SORT_MERGE})
# Shorter ones are start-up.
LEAST_CPU_MS = 300


@dataclass(frozen=True)
class Plans:
    """One query as written and in other plans, with what the run's advisors would see of the first."""

    name: str
    written: Query
    others: tuple[Query, ...]
    facts: Facts


@dataclass(frozen=True)
class Foretold:
    """The logarithm of another plan's core time over that of the one as written, foretold and measured."""

    query: str
    log_ratio: float
    measured: float


Part = Callable[[Plans, Query, OperatorTimes], float]


def read_plans(log: Path) -> tuple[list[Plans], list[Query], Cluster]:
    (source,) = find_logs(log)
    application = read_application(source)
    cluster, found = cluster_of(application), queries(application)
    by_name: dict[str, dict[str, Query]] = defaultdict(dict)
    for query in found:
        phase, _, name = query.description.partition("\n")[0].partition(": ")
        if name and query.graphs and query.work and query.executor_cpu_ms >= LEAST_CPU_MS:
            by_name[name].setdefault(phase, query)
    plans = []
    for name, phases in by_name.items():
        written = phases.pop(WRITTEN, None)
        if written is None or not is_told_apart(written):
            continue
        signatures = {graph.signature for graph in written.graphs}
        others = tuple(q for q in phases.values() if {g.signature for g in q.graphs} == signatures)
        facts = Facts((written,), cluster, application.conf, Reach.AGENT, application.spark_version)
        plans.append(Plans(name, written, others, facts))
    return plans, [p.written for p in plans], cluster


def is_told_apart(query: Query) -> bool:
    """Whether blocks, and relations of a block, have names of their own: else those of two plans cannot be matched."""
    labels = [[relation.label for relation in graph.relations] for graph in query.graphs]
    signatures = [graph.signature for graph in query.graphs]
    return all(len(set(some)) == len(some) for some in (signatures, *labels))


def renumbered(then: JoinGraph, graph: JoinGraph) -> Callable[[int], int]:
    """What a set of relations of one graph is in the numbers of another of the same block."""
    numbers = {name: number for number, name in enumerate(order_names(graph))}
    of = [numbers[name] for name in order_names(then)]
    return lambda mask: sum(1 << of[item] for item in range(len(of)) if mask >> item & 1)


def in_numbers(order: Order, mask_of: Callable[[int], int]) -> Order:
    if isinstance(order, int):
        return mask_of(1 << order).bit_length() - 1
    return type(order)(*(in_numbers(side, mask_of) for side in order))


def strategies(graph: JoinGraph, mask_of: Callable[[int], int]) -> Given:
    """The strategies that ran of a block, in the numbers of another; a build side changes with the side that stands left."""
    found = {
        mask_of(mask): GivenJoin(measured.strategy)
        for mask, measured in graph.measured.items()
        if measured.strategy in _GIVEN and mask.bit_count() > 1
    }
    return Given(found)


def blocks(plans: Plans, other: Query) -> Iterator[tuple[JoinGraph, JoinTree, JoinTree, Given, Given, OrderPrices]]:
    prices = OrderPrices(plans.facts)
    for _, graph in prices.blocks():
        block = prices.block(graph)
        then = next(g for g in other.graphs if g.signature == graph.signature)
        mask_of = renumbered(then, graph)
        order = in_numbers(then.written, mask_of)
        yield (
            graph,
            block.written,
            tree_of(order, block.sizes.size),
            strategies(graph, lambda m: m),
            strategies(then, mask_of),
            prices,
        )


def unchanged(plans: Plans, other: Query, model: OperatorTimes) -> float:
    return 0.0


def by_formula(plans: Plans, other: Query, model: OperatorTimes) -> float:
    """What the joins take goes with the formula's cost of their order."""
    before = after = 0.0
    for _, written, tree, _, _, _ in blocks(plans, other):
        before, after = before + weighted_sum(tree_cost(written)), after + weighted_sum(tree_cost(tree))
    fixed = fixed_share(plans.written, model.costs)
    return math.log(fixed + (1 - fixed) * after / before) if before else 0.0


def by_prices(plans: Plans, other: Query, model: OperatorTimes) -> float:
    """Unit prices of what another order and other strategies have to do."""
    core = plans.written.executor_cpu_ms / 1e3
    before = after = 0.0
    for graph, written, tree, ran, given, prices in blocks(plans, other):
        block = prices.block(graph)
        what_if = type(block)(graph, block.facts, block.conf, block.execution, model.costs).what_if
        before += sum(stage.core_seconds for stage in what_if.order(written.order, ran).stages)
        after += sum(stage.core_seconds for stage in what_if.order(tree.order, given).stages)
    for_joins = core * (1 - fixed_share(plans.written, model.costs))
    share = min(1.0, for_joins / before) if before > after else 1.0
    return math.log(max(0.05, 1 - (before - after) * share / core))


def with_sizes(plans: Plans, other: Query, model: OperatorTimes) -> float:
    """Unit prices of what the other plan was measured to do."""
    assert plans.written.work and other.work
    before, after = (stage_nanoseconds(q.work.stages, model.costs).sum() for q in (plans.written, other) if q.work)
    return math.log(after / before)


def with_sizes_and_residual(plans: Plans, other: Query, model: OperatorTimes) -> float:
    """The same, as trees correct it."""
    assert plans.written.work and other.work
    return math.log(model.core_ms(other.work) / model.core_ms(plans.written.work))


def halfway(one: Part, other: Part) -> Part:
    return lambda *given: (one(*given) + other(*given)) / 2


PARTS: dict[str, Part] = {
    "nothing foretold": unchanged,
    "formula alone": by_formula,
    "prices alone": by_prices,
    "formula and prices, halfway": halfway(by_formula, by_prices),
    "sizes known: prices": with_sizes,
    "sizes known: prices and trees": with_sizes_and_residual,
}


def show(title: str, everything: Sequence[Plans], model_of: Callable[[Plans], OperatorTimes]) -> None:
    models = {plans.name: model_of(plans) for plans in everything}
    print(f"\n{title}: {sum(len(p.others) for p in everything)} plans of {len(everything)} queries")
    print(f"{'':34}{'bias':>8}{'median':>8}{'90 %':>8}{'rank':>8}{'regret':>8}")
    for name, part in PARTS.items():
        found = {
            plans.name: [
                Foretold(
                    plans.name,
                    part(plans, other, models[plans.name]),
                    math.log(other.executor_cpu_ms / plans.written.executor_cpu_ms),
                )
                for other in plans.others
            ]
            for plans in everything
        }
        each = [one for several in found.values() for one in several]
        error = np.array([one.log_ratio - one.measured for one in each])
        rank = (
            spearmanr([o.log_ratio for o in each], [o.measured for o in each]).statistic
            if name != "nothing foretold"
            else 0
        )
        regrets = []
        for several in found.values():
            choices = [(0.0, 0.0), *((one.log_ratio, one.measured) for one in several)]
            regrets.append(math.exp(min(choices)[1] - min(measured for _, measured in choices)))
        bias = np.median(error)
        off = abs(error - bias)
        print(
            f"{name:34}{math.exp(bias):7.2f}x{math.exp(np.median(off)):7.2f}x{math.exp(np.quantile(off, 0.9)):7.2f}x"
            f"{rank:8.2f}{geometric_mean(regrets):7.3f}x"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path, nargs="+")
    for log in parser.parse_args().logs:
        everything, written, cluster = read_plans(log)

        def without(plans: Plans, written: Sequence[Query] = written, cluster: Cluster = cluster) -> OperatorTimes:
            others = [query for query in written if query is not plans.written]
            return calibrated_model(samples(others, cluster), shipped_model())

        print(log)
        show("queries left out", everything, without)
        show("jobs left out", everything, lambda _: shipped_model())


if __name__ == "__main__":
    main()
