"""Runs programs as they are, then steered by directives drawn from their own log, and compares what they collect.

    spark-submit steered_app.py OPTIONS.json REPORT.json

Options: `tables` (a folder of small tables), `work` (an empty folder), `random` (how many random queries, from `seed`
on), `queries` (further SQL by name), `views` (a folder of tables for those), `phases` (name, directives and conf of each
steered run), `broken` (texts that are no directives), `only` (the names of those wanted). Needs spark.eventLog.*, not
compressed.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from frame_programs import FRAME_PROGRAMS
from pyspark.sql import SparkSession
from random_directives import HINTS, RandomChoice, steered_queries
from random_joins import random_query
from results import difference
from sql_programs import SQL_PROGRAMS, WRITING_PROGRAMS

from tuner.cost.cardinality import Cardinality
from tuner.cost.join_tree import tree_cost, tree_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import VERSION
from tuner.model.join_graph import JoinGraph, Order

PLAIN = "plain"
Program = Callable[[SparkSession], list[Any]]
Outcome = tuple[list[Any] | None, str]  # rows, or what went wrong


def sql_program(text: str, spark: SparkSession) -> list[Any]:
    *before, last = [statement for statement in text.split(";") if statement.strip()]
    for statement in before:
        spark.sql(statement)
    return spark.sql(last).collect()


def writing_program(text: str, name: str, spark: SparkSession) -> list[Any]:
    table = "w_" + name.replace(" ", "_")
    try:
        return sql_program(text.replace("{name}", table), spark)
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {table}")


def programs(options: dict[str, Any]) -> dict[str, Program]:
    found: dict[str, Program] = {name: partial(sql_program, text) for name, text in SQL_PROGRAMS.items()}
    found |= {name: partial(writing_program, text, name) for name, text in WRITING_PROGRAMS.items()}
    found |= dict(FRAME_PROGRAMS)
    seeds = range(options.get("seed", 0), options.get("seed", 0) + options.get("random", 0))
    found |= {f"random {seed}": partial(sql_program, random_query(seed)) for seed in seeds}
    found |= {name: partial(sql_program, text) for name, text in options.get("queries", {}).items()}
    wanted = options.get("only")
    return {name: program for name, program in found.items() if not wanted or name in wanted}


def planned_again(spark: SparkSession, text: str) -> str:
    """What the agent's rules change in a plan that they have made; "" for nothing."""
    jvm = spark._jvm
    assert jvm is not None
    before = jvm.org.apache.spark.sql.SparkSession.getActiveSession()
    jvm.org.apache.spark.sql.SparkSession.setActiveSession(spark._jsparkSession)
    try:
        plan = spark.sql(text)._jdf.queryExecution().optimizedPlan()
        again = plan
        for rule in (jvm.tuner.steering.agent.OrderRule(), jvm.tuner.steering.agent.HintRule()):
            again = rule.apply(again)
        return "" if again.equals(plan) else f"{plan.treeString()}\nis now\n{again.treeString()}"
    finally:
        if before.isDefined():
            jvm.org.apache.spark.sql.SparkSession.setActiveSession(before.get())
        else:
            jvm.org.apache.spark.sql.SparkSession.clearActiveSession()


def plan_again(
    spark: SparkSession, phase: dict[str, Any], texts: dict[str, str], base: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """The plans of some of the statements, made once more."""
    for name, text in list(SQL_PROGRAMS.items())[::4]:
        # A CTE that is not inlined has become part of the plan by now.
        if texts.get(name) and ";" not in text and not text.strip().startswith("WITH drawn"):
            session = spark.newSession()
            for key, value in {**base, **phase.get("conf", {}), "spark.tuner.directives": texts[name]}.items():
                session.conf.set(key, value)
            changed = planned_again(session, text)
            yield {"phase": f"{phase['name']} again", "name": name, "error": "", "difference": changed}


def broken(spark: SparkSession, options: dict[str, Any], base: dict[str, str]) -> Iterator[dict[str, Any]]:
    """One program under directives that are no directives."""
    program = partial(sql_program, SQL_PROGRAMS["chain"])
    expected, _ = run(spark, "broken", "none", program, base)
    for number, text in enumerate(options.get("broken", ())):
        rows, error = run(spark, "broken", str(number), program, {**base, "spark.tuner.directives": text})
        differs = "" if rows is None or expected is None else difference(expected, rows)
        yield {"phase": "broken", "name": text, "error": error, "difference": differs}


def make_tables(spark: SparkSession, folder: str, work: str) -> None:
    """Tables of the catalog, which every session sees, and one in partitions."""
    for table in filter(Path.is_dir, sorted(Path(folder).iterdir())):
        spark.sql(f"CREATE TABLE {table.name} USING parquet LOCATION '{table.as_uri()}'")
    if Path(folder, "orders").is_dir():
        written = spark.table("orders").repartition(1).write.partitionBy("qty").format("parquet")
        written.option("path", Path(work, "dated").as_uri()).saveAsTable("dated")


def run(spark: SparkSession, phase: str, name: str, program: Program, conf: dict[str, str]) -> Outcome:
    session = spark.newSession()
    for key, value in conf.items():
        session.conf.set(key, value)
    session.sparkContext.setJobDescription(f"{phase}: {name}")
    try:
        return [tuple(row) for row in program(session)], ""
    except Exception as error:
        return None, f"{type(error).__name__}: {str(error)[:2000]}"


def run_all(
    spark: SparkSession, phase: str, wanted: dict[str, Program], conf: Callable[[str], dict[str, str]]
) -> dict[str, Outcome]:
    """Two at a time: planning keeps one core busy and leaves the other idle."""
    with ThreadPoolExecutor(2) as pool:
        jobs = {name: pool.submit(run, spark, phase, name, program, conf(name)) for name, program in wanted.items()}
        return {name: job.result() for name, job in jobs.items()}


def drawn(spark: SparkSession, phase: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The directives of each program, by the executions that the log has of it so far."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[union-attr]
    (source,) = find_logs(Path(spark.conf.get("spark.eventLog.dir", "").removeprefix("file:")))
    choice = RandomChoice(
        **{key: phase[key] for key in ("order", "hinted", "filtered", "shared", "cartesian") if key in phase},
        acceptable=partial(is_acceptable, phase),
        broadcast=lambda rows: rows <= phase.get("most_broadcast_rows", math.inf),
        hints=tuple(phase.get("hints", HINTS)),
        buildable=lambda side: "build" not in phase or ends_in(phase["build"], side),
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for steered in steered_queries(read_application(source), random.Random(phase["seed"]), choice):
        label, _, name = steered.description.partition("\n")[0].partition(": ")
        others = found.setdefault(name, [])
        # The agent cannot tell apart queries that read the same: those of one program get what the first gets.
        if label == PLAIN and all(other["relations"] != steered.query["relations"] for other in others):
            others.append(steered.query)
    return found


def message(queries: list[dict[str, Any]]) -> str:
    """What the agent is told of queries."""
    return json.dumps({"version": VERSION, "queries": queries})


def is_acceptable(phase: dict[str, Any], graph: JoinGraph, order: Order) -> bool:
    """By its cost, and by the name of a relation that is to come last."""
    last = phase.get("last", "")
    return costs_at_most(phase.get("most_cost", math.inf), graph, order) and (
        not last or joins_last(last, graph, order)
    )


def joins_last(name: str, graph: JoinGraph, order: Order) -> bool:
    """Whether the outermost join of an order is with this relation alone."""
    sides = () if isinstance(order, int) else order
    alone = [graph.relations[side].relations for side in sides if isinstance(side, int)]
    return any(ends_in(name, read) for read in alone)


def ends_in(name: str, read: tuple[str, ...]) -> bool:
    """Whether the last of the relations that are read is a table of this name."""
    return read[-1:] in ((f"spark_catalog.default.{name}",), (f"default.{name}",))


def costs_at_most(times: float, graph: JoinGraph, order: Order) -> bool:
    """Whether an order has at most so many times the rows between its joins, by our estimates."""
    if math.isinf(times):
        return True
    size_of = Cardinality(graph).size
    cost, written = (tree_cost(tree_of(one, size_of)).card for one in (order, graph.written))
    return cost <= times * max(written, 1e5)


def steered_phases(
    spark: SparkSession, options: dict[str, Any], wanted: dict[str, Program], base: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Per phase and program: what differed, what failed, how many orders and hints it was given."""
    plain = run_all(spark, PLAIN, wanted, lambda name: base)
    for name, (_, error) in plain.items():
        yield {"phase": PLAIN, "name": name, "error": error, "difference": ""}
    for phase in options["phases"]:
        directives = drawn(spark, phase)
        texts = {name: message(found) for name, found in directives.items()}

        more = phase.get("conf", {})
        confs = {name: {**base, **more, "spark.tuner.directives": texts.get(name, "")} for name in wanted}
        for name, (rows, error) in run_all(spark, phase["name"], wanted, confs.__getitem__).items():
            before, _ = plain[name]
            yield {
                "phase": phase["name"],
                "name": name,
                "error": error,
                "difference": "" if before is None or rows is None else difference(before, rows),
                "directives": directives.get(name, []),
            }
        yield from plan_again(spark, phase, texts, base)


def main(options_file: str, report_file: str) -> None:
    options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("steered").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for folder in (options["tables"], options.get("views")):
        if folder:
            make_tables(spark, folder, options["work"])
    base = {
        "spark.tuner.agent.trace": "true",
        "spark.tuner.tests.tables": options["tables"],
        "spark.tuner.tests.work": options["work"],
    }
    report = [*steered_phases(spark, options, programs(options), base), *broken(spark, options, base)]
    Path(report_file).write_text(json.dumps(report), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
