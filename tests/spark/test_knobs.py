"""The table of Spark's properties: complete, true of Spark, and the only place that names them."""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tuner.bench.search_space import OF_APPLICATION, OF_QUERY
from tuner.eventlog.properties import allowed
from tuner.spark import knobs
from tuner.spark.knob import Knob
from tuner.spark.knobs import KNOBS
from tuner.spark.settings import Settings
from tuner.spark.version import Version, read_version
from tuner.units import GIB

from .join_selection.spark_planner import spark_planner

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tuner/spark/knobs.py"
_PROPERTY = re.compile(r"spark\.[a-z]\w*(?:\.\w+)*")
PRODUCT = [path for package in ("tuner", "airflow_plugin") for path in (ROOT / package).rglob("*.py")]
SPELLING = [path for path in PRODUCT if "spark." in path.read_text(encoding="utf-8")]


def literals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_other_module_spells_a_property_of_the_table() -> None:
    assert set(KNOBS) <= set(literals(TABLE))
    found = {path: set(literals(path)) & KNOBS.keys() for path in SPELLING if path != TABLE}
    assert not {str(path.relative_to(ROOT)): names for path, names in found.items() if names}


def test_no_two_modules_spell_the_same_property() -> None:
    """But for the bench's, which are other programs' too, and those of Airflow's operators."""
    places: dict[str, set[str]] = {}
    for path in SPELLING:
        where = str(path.relative_to(ROOT))
        if not where.startswith(("tuner/bench/", "airflow_plugin/")):
            for name in filter(_PROPERTY.fullmatch, literals(path)):
                places.setdefault(name, set()).add(where)
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_every_row_is_in_the_table_once() -> None:
    rows = [row for row in vars(knobs).values() if isinstance(row, Knob)]
    assert len(rows) == len(KNOBS) > 60
    assert all(KNOBS[row.property] is row for row in rows)


def test_the_reader_lets_out_every_property_of_the_table() -> None:
    told = dict.fromkeys(KNOBS, "1")
    assert allowed(told | {"spark.hadoop.fs.s3a.secret.key": "hunter2"}) == told


def test_a_search_tries_only_what_a_lever_moves() -> None:
    searched = (*OF_APPLICATION, *OF_QUERY)
    assert [knob.property for knob in OF_APPLICATION] == ["spark.shuffle.sort.bypassMergeThreshold"]
    assert len(OF_QUERY) == 7
    assert all(knob.lever is not None and knob.range is not None for knob in searched)
    assert all(knob.range and 0 <= knob.range.low < knob.range.high for knob in searched)


@pytest.mark.parametrize(
    ("knob", "version", "default"),
    [
        (knobs.ADAPTIVE, (3, 1, 3), False),
        (knobs.ADAPTIVE, (3, 2, 0), True),
        (knobs.BLOOM_FILTER, (3, 3, 4), False),
        (knobs.BLOOM_FILTER, (3, 4, 0), True),
        (knobs.ANSI, (3, 5, 7), False),
        (knobs.ANSI, (4, 0, 0), True),
        (knobs.DRIVER_MEMORY, (3, 3, 0), 1 * GIB),
    ],
)
def test_defaults_are_those_of_the_version(knob: Knob[Any], version: tuple[int, int, int], default: object) -> None:
    assert knob.default_in(version) == default


@pytest.mark.spark
def test_rows_say_what_spark_says() -> None:
    """Every row's default, version and source, against the ConfigEntry of the Spark at hand."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if not java:
        pytest.skip("no Java")
    with spark_planner(Path(pyspark.__file__).parent, java) as planner:
        version = read_version(planner.version)
        wrong = {name: told for name, knob in KNOBS.items() if (told := differences(planner.jvm, knob, version))}
    assert not wrong


def differences(jvm: Any, knob: Knob[Any], version: Version) -> str:
    """What Spark has otherwise than a row says; nothing of a property that came later."""
    if version < knob.since:
        return ""
    core = getattr(getattr(jvm.org.apache.spark.internal.config, "package$"), "MODULE$")
    entries = jvm.org.apache.spark.sql.internal.SQLConf if knob.property.startswith("spark.sql.") else core
    if knob.property.startswith("spark.kubernetes."):
        entries = getattr(getattr(jvm.org.apache.spark.deploy.k8s, "Config$"), "MODULE$")
    if ".pyspark." in knob.property:
        entries = getattr(getattr(jvm.org.apache.spark.internal.config, "Python$"), "MODULE$")
    entry = getattr(entries, knob.source)()
    default = entry.defaultValueString()
    if default.startswith("<value of "):
        default = jvm.org.apache.spark.internal.config.ConfigEntry.findEntry(default[10:-1]).defaultValueString()
    told = None if default == "<undefined>" else Settings({knob.property: default})[knob]
    here = (knob.property, knob.default_in(version), ".".join(map(str, knob.since)))
    there = (entry.key(), told, entry.version())
    return "" if here == there else f"{here} here, {there} in Spark"
