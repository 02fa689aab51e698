"""A real Spark's planner behind a gateway: which strategies it picks for joins of SQL statements, in bulk.

Speaks to the JVM alone, so that one harness serves every Spark version whose jars are at hand.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.spark_archive import java_options
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.join_selection.logical_join import Choice, LogicalJoin, Side, SideHint
from tuner.spark.join_selection.selection_conf import SelectionConf, read_conf

_OPENED = (
    *("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs"),
    *("sun.security.action", "sun.util.calendar"),
)
_JVM = (
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
    *("-XX:+IgnoreUnrecognizedVMOptions", "-Xmx1500m"),
    *("-Dio.netty.tryReflectionSetAccessible=true", "-Djdk.reflect.useDirectMethodHandle=false"),
)
_CONF = {
    "spark.master": "local[2]",
    "spark.app.name": "planner",
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
}
_STRATEGIES = {strategy.value for strategy in Strategy}
_BUILDING = (Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH, Strategy.BROADCAST_NESTED_LOOP)
_TURNED = {BuildSide.LEFT: BuildSide.RIGHT, BuildSide.RIGHT: BuildSide.LEFT, None: None}
_JOINS = re.compile(
    rf"^[ :|+\-]*({'|'.join(_BUILDING)}|SortMergeJoin|CartesianProduct)\b(?:.*\bBuild(Left|Right)\b)?", re.M
)
_HINTS = re.compile(r"(left|right)Hint=\(strategy=(\w+)")
_HINT_NAMES = {hint.value.lower(): hint for hint in SideHint}


class SparkPlanner:
    """Spark's session state, as far as planning goes."""

    def __init__(self, jvm: Any, directory: Path) -> None:
        self.jvm, self._directory = jvm, directory
        self._session = jvm.org.apache.spark.sql.SparkSession.builder().getOrCreate()
        self._session.sparkContext().setLogLevel("OFF")
        self.version: str = self._session.version()

    @contextmanager
    def conf(self, properties: Mapping[str, str]) -> Iterator[SelectionConf]:
        """The session with these properties, and what they mean for the simulation."""
        conf = self._session.conf()
        for key, value in properties.items():
            conf.set(key, value)
        yield read_conf(properties, self.version)
        for key in properties:
            conf.unset(key)

    def make_table(self, name: str, columns: str, size_bytes: int) -> None:
        """A table of one file with a hole of that many bytes: good enough for a planner."""
        folder = self._directory / name
        folder.mkdir()
        with (folder / "part-0.parquet").open("wb") as file:
            file.truncate(size_bytes)
        self.run(f"CREATE TABLE {name} ({columns}) USING parquet LOCATION '{folder.as_uri()}'")

    def hint_view(self, name: str, table: str, hint: str) -> bool:
        """A view of a table with a hint that SQL has no word for; False if this version does not know it."""
        from py4j.java_gateway import JavaObject

        logical = self.jvm.org.apache.spark.sql.catalyst.plans.logical
        strategy = _object(logical, hint)
        if not isinstance(strategy, JavaObject):
            return False
        hinted = logical.ResolvedHint(self.analyzed(f"SELECT * FROM {table}"), self._hint_info(strategy))
        self._dataset(hinted).createOrReplaceTempView(name)
        return True

    def read_parquet(self, folder: Path) -> None:
        """A view of a folder's files, by its name."""
        self._session.read().load(folder.as_uri()).createOrReplaceTempView(folder.name)

    def run(self, statement: str) -> Any:
        """The Dataset of a statement; commands have then run."""
        return self._session.sql(statement)

    def analyzed(self, statement: str) -> Any:
        return self.run(statement).queryExecution().analyzed()

    def union(self, statements: Sequence[str]) -> Any:
        """The query execution of statements that have one column of one type and one join each."""
        return self.run(" UNION ALL ".join(f"({text})" for text in statements)).queryExecution()

    def plan(self, optimized: Any) -> Any:
        """An optimised plan planned under the session's conf of now: what `sparkPlan` does, without its cache."""
        return self._session.sessionState().planner().plan(optimized).next()

    def select(self, type_name: str, left: str, right: str, hints: Sequence[SideHint | None]) -> tuple[Any, Any]:
        """The operator and the logical join for the first columns of two statements, equal in a way SQL may not allow."""
        catalyst = self.jvm.org.apache.spark.sql.catalyst
        logical = catalyst.plans.logical
        sides = [self.analyzed(text) for text in (left, right)]
        condition = catalyst.expressions.EqualTo(*(side.output().head() for side in sides))
        names = ["SHUFFLE_MERGE" if hint is SideHint.MERGE else hint for hint in hints]
        told = [self._some(self._hint_info(_object(logical, name))) if name else self._none() for name in names]
        type_ = _object(catalyst.plans, type_name)
        join = logical.Join(*sides, type_, self._some(condition), logical.JoinHint(*told))
        return self._session.sessionState().planner().JoinSelection().apply(join).head(), join

    def longs(self, array: Any) -> list[int]:
        """A Java array of longs, in one call."""
        return [int(number) for number in self.jvm.java.util.Arrays.toString(array).strip("[]").split(",")]

    def has_equi_keys(self, logical: Any) -> bool:
        return bool(self.jvm.org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys.unapply(logical).isDefined())

    def is_null_aware(self, logical: Any) -> bool:
        planning = self.jvm.org.apache.spark.sql.catalyst.planning
        if self.version.startswith("3.0"):
            return False
        return bool(planning.ExtractSingleColumnNullAwareAntiJoin.unapply(logical).isDefined())

    def _hint_info(self, strategy: Any) -> Any:
        return self.jvm.org.apache.spark.sql.catalyst.plans.logical.HintInfo(self._some(strategy))

    def _some(self, value: Any) -> Any:
        return self.jvm.scala.Some(value)

    def _none(self) -> Any:
        return self.jvm.scala.Option.empty()

    def _dataset(self, plan: Any) -> Any:
        package = self.jvm.org.apache.spark.sql
        classes = package.classic if int(self.version[0]) >= 4 else package
        return classes.Dataset.ofRows(self._session, plan)


def _object(package: Any, name: str) -> Any:
    """A Scala object."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


@contextmanager
def spark_planner(home: Path, java: str = "java") -> Iterator[SparkPlanner]:
    """A planner of the Spark whose `jars` are in `home`; its JVM ends with the block."""
    from py4j.java_gateway import GatewayParameters, JavaGateway  # comes with pyspark

    with tempfile.TemporaryDirectory() as directory:
        process, port, secret = _start(home, java, Path(directory))
        gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=secret, auto_convert=True))
        try:
            yield SparkPlanner(gateway.jvm, Path(directory))
        finally:
            gateway.shutdown()
            process.communicate()


def _start(home: Path, java: str, directory: Path) -> tuple[subprocess.Popen[bytes], int, str]:
    info = directory / "connection"
    conf = {**_CONF, "spark.sql.warehouse.dir": (directory / "warehouse").as_uri()}
    properties = [f"-D{key}={value}" for key, value in conf.items()]
    main = "org.apache.spark.api.python.PythonGatewayServer"
    environment = {**os.environ, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info), "SPARK_LOCAL_IP": "127.0.0.1"}
    environment.pop("SPARK_HOME", None)
    process = subprocess.Popen(
        [java, *java_options().split(), *_JVM, *properties, "-cp", _class_path(home), main],
        env=environment,
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not info.exists():
        assert process.poll() is None, f"{main} of {home} ended with {process.returncode}"
        time.sleep(0.05)
    told = info.read_bytes()
    port, length = struct.unpack("!ii", told[:8])
    return process, port, told[8 : 8 + length].decode()


def _class_path(home: Path) -> str:
    """As spark-submit puts it together: for another one Java leaves the archive of classes alone."""
    jars = home / "jars"
    return os.pathsep.join(map(str, (home / "conf", *jars.glob("slf4j-api-*.jar"), jars / "*")))


def choices_of(plan: Any) -> list[tuple[Strategy, BuildSide | None]]:
    """Strategy and build side of the joins of a physical plan, from the top, sides as written."""
    return [
        (Strategy(name), BuildSide(built.lower()) if built else None) for name, built in _JOINS.findall(plan.toString())
    ]


def choice_of(operator: Any) -> tuple[Strategy, BuildSide | None]:
    """Strategy and build side of one join."""
    strategy = Strategy(operator.nodeName())
    return strategy, BuildSide(operator.buildSide().toString()[5:].lower()) if strategy in _BUILDING else None


def joins_of(plan: Any) -> Iterator[Any]:
    """The join operators of a physical plan, from the top."""
    if plan.nodeName() in _STRATEGIES:
        yield plan
    for child in _below(plan):
        yield from joins_of(child)


def _below(plan: Any) -> Iterable[Any]:
    """The inputs of an operator, and what stands behind a stage or an adaptive plan."""
    if plan.nodeName() == "AdaptiveSparkPlan":
        return [plan.executedPlan()]
    return [plan.plan()] if plan.nodeName().endswith("QueryStage") else each(plan.children())


def read_join(logical: Any, **facts: bool) -> LogicalJoin:
    """A join of Spark's optimiser; `facts` are fields of `LogicalJoin` known otherwise."""
    hints = dict(_HINTS.findall(logical.hint().toString()))
    left, right = (
        Side(sizes_of(side.stats()), _HINT_NAMES.get(hints.get(name, "")))
        for name, side in (("left", logical.left()), ("right", logical.right()))
    )
    return logical_join(logical.joinType().toString(), left, right, **facts)


def logical_join(type_name: str, left: Side, right: Side, **facts: bool) -> LogicalJoin:
    """A join by the name Spark has for its type; a right outer one is turned round."""
    if type_name == "RightOuter":
        return LogicalJoin(JoinType.LEFT_OUTER, right, left, turned=True, **facts)
    return LogicalJoin(JoinType(type_name.split("(")[0]), left, right, **facts)


def as_written(join: LogicalJoin, choice: Choice) -> tuple[Strategy, BuildSide | None]:
    """A choice with the build side of the join as it was before it was turned round."""
    return choice.strategy, _TURNED[choice.build_side] if join.turned else choice.build_side


def sizes_of(statistics: Any) -> int:
    """The bytes of a plan's statistics. As text, because the gateway makes an int of 32 bits of them."""
    return int(statistics.productIterator().mkString(",").split(",")[0])


def each(scala_sequence: Any) -> Iterator[Any]:
    """The elements of a Scala sequence."""
    return (scala_sequence.apply(index) for index in range(scala_sequence.size()))
