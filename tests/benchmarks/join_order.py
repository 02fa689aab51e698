"""How long the search for a join order takes, how good its heuristics are, and how it compares with Spark's own.

    python tests/benchmarks/join_order.py [times] [ratios] [spark --tables DIRECTORY --queries FILE]

`times`: milliseconds of CPU by shape of the graph, statistics and number of relations, the least of three runs, sizes
computed anew in each. `ratios`: the value of the heuristics' tree over that of the best one, on random graphs.
`spark`: TPC-DS queries over DIRECTORY (a folder of Parquet per table), their texts in FILE (JSON, by number), with
statistics of the columns they name: orders as written, of Spark's JoinReorderDP and ours. Needs Java and pyspark.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tuner.cost.join_edges import Edge
from tuner.cost.join_order import DEFAULT_PAIRS, JoinOrder, best_order
from tuner.cost.join_tree import JoinTree
from tuner.cost.order_objective import OrderObjective, WeightedRatio, WeightedSum
from tuner.model.join_graph import Order
from tuner.spark.order_cost import Cost, order_cost, weighted_ratio

sys.path.insert(0, str(Path(__file__).parents[1] / "cost"))
import join_graphs
import spark_reorder

REPEAT = 3
UNLIMITED = 10**9
QUERIES = ("17", "25", "29", "72", "64")
BY: dict[str, OrderObjective] = {"sum": WeightedSum(), "ratio": WeightedRatio()}


def timed(
    edges: list[Edge], sizes: join_graphs.Statistics, objective: OrderObjective, **options: int
) -> tuple[float, JoinOrder]:
    """The least milliseconds of CPU, and the order."""
    n, best = len(sizes.rows), float("inf")
    for _ in range(REPEAT):
        size_of = sizes.size_of()
        started = time.process_time()
        found = best_order(n, edges, size_of, objective, **options)
        best = min(best, (time.process_time() - started) * 1e3)
    return best, found


def loop_nanoseconds() -> float:
    """An empty loop, by which figures of a busy machine can be compared with those of an idle one."""
    started = time.process_time()
    for _ in range(1_000_000):
        pass
    return (time.process_time() - started) * 1e3


def times() -> None:
    print(f"an empty loop takes {loop_nanoseconds():.0f} ns a round; * where the search was not exact\n")
    counts = (8, 10, 12, 14, 18, 30, 60, 100)
    for name, objective in BY.items():
        print(f"ms by the {name:<24}" + "".join(f"{n:>9}" for n in counts))
        for shape, edges_of in join_graphs.SHAPES.items():
            for kind, of_graph in join_graphs.STATISTICS.items():
                cells = []
                for n in counts:
                    if shape == "clique" and n > 30:
                        continue  # its sizes take longer than its search
                    edges = edges_of(n)
                    spent, found = timed(edges, of_graph(n, edges, random.Random(n)), objective)
                    cells.append(f"{spent:>8.1f}{' ' if found.exact else '*'}")
                print(f"{shape:<10} {kind:<22}" + "".join(cells), flush=True)
        print()
    print("to the end, however many pairs (ms by the sum, by the ratio)")
    for shape, n in (("two facts", 12), ("two facts", 14), ("clique", 10), ("clique", 12), ("clique", 14)):
        edges = join_graphs.SHAPES[shape](n)
        for kind, of_graph in join_graphs.STATISTICS.items():
            sizes = of_graph(n, edges, random.Random(n))
            spent = [timed(edges, sizes, objective, pairs=UNLIMITED)[0] for objective in BY.values()]
            print(f"{shape:<10} {n} {kind:<19}" + "".join(f"{one:>10.0f}" for one in spent), flush=True)


def random_cases(n: int, count: int) -> Iterator[tuple[list[Edge], join_graphs.Statistics]]:
    for seed in range(count):
        rng = random.Random(seed * 1000 + n)
        kind = rng.choice(sorted(join_graphs.STATISTICS))
        shape = rng.choice([*sorted(join_graphs.SHAPES.keys() - {"clique"}), "random", "random", "random"])
        edges = join_graphs.random_graph(n, rng) if shape == "random" else join_graphs.SHAPES[shape](n)
        yield edges, join_graphs.STATISTICS[kind](n, edges, rng)


def ratios() -> None:
    print("value of the heuristics' tree / value of the best tree, over random graphs")
    print(f"{'':<12}{'graphs':>8}{'equal':>8}{'median':>9}{'90 %':>9}{'99 %':>9}{'worst':>9}")
    for name, objective in BY.items():
        for n, count in ((6, 300), (8, 300), (10, 300), (12, 200)):
            found = []
            for edges, sizes in random_cases(n, count):
                exact = best_order(n, edges, sizes.size_of(), objective, pairs=UNLIMITED)
                quick = best_order(n, edges, sizes.size_of(), objective, pairs=0)
                found.append(quick.value / exact.value)
            cuts = statistics.quantiles(found, n=100)
            equal = sum(ratio <= 1 + 1e-9 for ratio in found) / len(found)
            row = "".join(f"{cut:>9.3f}" for cut in (cuts[49], cuts[89], cuts[98], max(found)))
            print(f"{name:<6} n={n:<4}{len(found):>8}{equal:>8.0%}{row}", flush=True)


def spark(tables: Path, queries: dict[str, str]) -> None:
    """Orders by Spark's estimates of sets, and by its estimates of the very joins of a tree: these depend on the order."""
    with tempfile.TemporaryDirectory() as directory, spark_reorder.spark_session(Path(directory)) as session:
        spark_reorder.analyse(session, tables, [queries[number] for number in QUERIES])
        for number in QUERIES:
            for block in spark_reorder.blocks(session, queries[number]):
                compare(number, block)


def compare(number: str, block: spark_reorder.Block) -> None:
    n = len(block.items)
    print(f"query {number}: {n} relations, {len(block.conditions)} conditions: {', '.join(block.names)}")
    # Every estimate takes Spark milliseconds, and the exact search over many relations asks for thousands.
    pairs = DEFAULT_PAIRS if n <= 14 else 0
    written, sparks = block.tree(block.written), block.tree(block.chosen)
    ours = best_order(n, block.edges, block.size_of, written=written, pairs=pairs)
    started = time.process_time()
    best_order(n, block.edges, block.size_of, written=written, pairs=pairs)
    spent = (time.process_time() - started) * 1e3
    own = own_cost(block, nested(ours.tree))
    for name, tree in (("written", written), ("Spark's", sparks), ("ours", ours.tree)):
        order = join_graphs.order_of(tree, block.size_of)
        by_set, by_tree = weighted_ratio(order.cost, ours.cost), weighted_ratio(own_cost(block, nested(tree)), own)
        print(f"  {name:<8}{order.value:>16,.0f}  by set {by_set:.3f}, by tree {by_tree:.3f} of ours  {tree}")
    given = block.size_in(block.chosen)
    again = best_order(n, block.edges, given, pairs=pairs)
    found = weighted_ratio(own_cost(block, block.chosen), again.cost)
    print(f"  where Spark's tree counts by its own estimates, it is {found:.3f} of ours: {again.tree}")
    print(f"  exact: {ours.exact}; {spent:.0f} ms once the sizes are known", flush=True)


def own_cost(block: spark_reorder.Block, order: Order) -> Cost:
    sizes = block.sizes_of(order)
    return order_cost(
        Cost(size.rows, size.bytes) for mask, size in sizes.items() if mask.bit_count() < len(block.items)
    )


def nested(tree: JoinTree) -> Order:
    if not tree.children:
        return tree.relations[0]
    left, right = tree.children
    return nested(left), nested(right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=["times", "ratios", "spark"], default=["times", "ratios"])
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--queries", type=Path)
    options = parser.parse_args()
    if "times" in options.what:
        times()
    if "ratios" in options.what:
        ratios()
    if "spark" in options.what:
        if not options.tables or not options.queries:
            parser.error("spark needs --tables and --queries")
        spark(options.tables, json.loads(options.queries.read_text()))


if __name__ == "__main__":
    main()
