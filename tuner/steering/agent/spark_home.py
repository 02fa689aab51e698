"""Which Spark a spark-submit starts: its home, its version and its Scala."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tuner.errors import RequirementError

_CORE = re.compile(r"spark-core_(\d+\.\d+)-(.+)\.jar")
_NUMBERS = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class SparkAtHand:
    """A Spark installation on this machine: `version` is `4.3.0`, with a vendor's suffix if it has one."""

    home: Path
    version: str
    scala_version: str

    @property
    def jars(self) -> Path:
        return self.home / "jars"

    @property
    def number(self) -> tuple[int, int]:
        """Major and minor version."""
        return version_number(self.version)


def version_number(version: str) -> tuple[int, int]:
    """Major and minor version; (0, 0) of a text that starts with neither."""
    found = _NUMBERS.match(version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def spark_at_hand(spark_submit: str, environ: Mapping[str, str] = os.environ) -> SparkAtHand | None:
    """The Spark that this spark-submit (a path, or a name on PATH) starts, as bin/find-spark-home finds it; None if unknown.

    That is $SPARK_HOME; else what the script lies in; else, for pip's, the pyspark of the Python it belongs to.
    """
    if given := environ.get("SPARK_HOME"):
        return spark_in(Path(given))
    program = shutil.which(spark_submit, path=environ.get("PATH"))
    return next(filter(None, map(spark_in, _homes(Path(program)))), None) if program else None


def spark_in(home: Path) -> SparkAtHand | None:
    """The Spark installed in a directory; None where its jars hold none."""
    for jar in sorted(home.glob("jars/spark-core_*.jar")):
        if found := _CORE.fullmatch(jar.name):
            return SparkAtHand(home.absolute(), found[2], found[1])
    return None


def require_spark_in(home: Path) -> SparkAtHand:
    """Like `spark_in`. Raises RequirementError where there is none."""
    spark = spark_in(home)
    if spark is None:
        raise RequirementError(
            f"{home}: no jars/spark-core_*.jar there; give the directory of a Spark installation, "
            "the one that has bin/ and jars/ in it"
        )
    return spark


def _homes(program: Path) -> Iterator[Path]:
    here = program.absolute().parent
    if not (here / "find_spark_home.py").is_file():
        yield here.parent
        yield program.resolve().parent.parent
        return
    for library in sorted(here.parent.glob("lib*/python3*/site-packages/pyspark")):
        # Another distribution than pip's own, by PYSPARK_HADOOP_VERSION (SPARK-32017).
        yield library / "spark-distribution"
        yield library
    if here == Path(sys.executable).parent:
        yield from (Path(entry, "pyspark") for entry in sys.path if entry)
