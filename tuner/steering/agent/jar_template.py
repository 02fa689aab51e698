"""agent_jar as a template: one setting for clusters of several Sparks."""

from __future__ import annotations

import re

from tuner.spark.version import Version, parse_version

# Which Scala the Sparks are built for that most clusters have: Spark 3.x also came for 2.13, which a template can name itself.
_SCALA_OF_SPARK_3, _SCALA_SINCE_SPARK_4 = "2.12", "2.13"
_FIELD = re.compile(r"\{(\w+)\}")


def is_template(agent_jar: str) -> bool:
    """Whether the jar is another one for another Spark."""
    return any(name in _fields((0, 0, 0)) for name in _FIELD.findall(agent_jar))


def filled(agent_jar: str, spark_version: str) -> str:
    """The jar for a Spark: `{spark}` is its version (4.0.1), `{spark_minor}` 4.0, `{scala}` its Scala; "" for a version that is
    none. What a template has besides is left as it is."""
    if not is_template(agent_jar):
        return agent_jar
    version = parse_version(spark_version)
    if version is None:
        return ""
    known = _fields(version)
    return _FIELD.sub(lambda field: known.get(field[1], field[0]), agent_jar)


def _fields(version: Version) -> dict[str, str]:
    major, minor, patch = version
    scala = _SCALA_SINCE_SPARK_4 if major >= 4 else _SCALA_OF_SPARK_3
    return {"spark": f"{major}.{minor}.{patch}", "spark_minor": f"{major}.{minor}", "scala": scala}
