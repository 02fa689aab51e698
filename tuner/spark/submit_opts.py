"""SPARK_SUBMIT_OPTS: options of Java for whatever a spark-submit starts, as Spark's launcher splits them
(CommandBuilderUtils.parseOptionString).

A `-Dspark.…` among them is a property of the lowest rank: spark-defaults.conf, a properties file, --conf, flags,
SparkSession.builder and what stands behind it there beat it. pyspark starts its JVM by spark-submit, so a plain Python program
has it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

VARIABLE = "SPARK_SUBMIT_OPTS"
_PROPERTY = re.compile(r"-D(spark\.[^=]*)(?:=(.*))?", re.DOTALL)
# bin/spark-class takes out carriage returns, a variable cannot hold NUL, and the launcher takes characters beyond the Basic
# Multilingual Plane apart.
_LOST = re.compile(r"[\r\0\U00010000-\U0010ffff]")
# An option is one piece of text to the launcher up to white space that is not quoted.
_PIECE = re.compile(r"""\\(.)|'([^']*)'|"((?:\\.|[^"\\])*)"|([^\s\\'"]+)|(\s+)""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def as_options(properties: Mapping[str, str]) -> str:
    """Properties as options. Raises ValueError for a value that would not arrive as it is."""
    for name, value in properties.items():
        if _LOST.search(name + value):
            raise ValueError(f"{VARIABLE} does not carry all characters of {name}")
    return " ".join(_quoted(f"-D{name}={value}") for name, value in properties.items())


def joined(ours: str, own: str) -> str:
    """Options of both: the user's come last, and so win."""
    return " ".join(part for part in (ours, own.strip()) if part)


def properties_of(options: str) -> dict[str, str]:
    """The properties of Spark among options; none where the launcher could not read them either."""
    try:
        found = [_PROPERTY.fullmatch(option) for option in split(options)]
    except ValueError:
        return {}
    return {match[1]: match[2] or "" for match in found if match}


def split(options: str) -> list[str]:
    """The options. Raises ValueError where a quote is not closed."""
    return list(_split(options))


def _split(options: str) -> Iterator[str]:
    option: list[str] = []
    position = 0
    while position < len(options):
        match = _PIECE.match(options, position)
        if match is None:
            raise ValueError(f"{VARIABLE}: no end of what is quoted at character {position + 1}")
        position = match.end()
        if match[5] is None:
            option.append(_text(match))
        elif option:
            yield "".join(option)
            option = []
    if option:
        yield "".join(option)


def _text(match: re.Match[str]) -> str:
    if match[3] is not None:
        return _ESCAPED.sub(r"\1", match[3])
    return next(text for text in match.groups() if text is not None)


def _quoted(option: str) -> str:
    return "'" + option.replace("'", r"'\''") + "'"
