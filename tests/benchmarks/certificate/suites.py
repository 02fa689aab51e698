"""TPC-DS and TPC-H night after night: what steering gains on queries that nobody wrote for it, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.benchmarks.certificate.trap import Night, Trap
from tuner.demo.tables import TPCH, make_tables, query_texts

NIGHTS = 6
TPCDS_SCALE_FACTOR = 0.3
TPCH_SCALE_FACTOR = 0.3
# Of TPC-DS those whose joins' order matters most, and those that a cost-based order made slower.
_TPCDS = (4, 17, 24, 25, 29, 50, 64, 72, 85)
# TPC-H's substitution parameters (specification 2.4) of queries with joins: what stands in the text, by its name.
_PARAMETERS: Mapping[int, Mapping[str, str]] = {
    2: {"EUROPE": "region", "BRASS": "metal"},
    3: {"BUILDING": "segment"},
    5: {"ASIA": "region"},
    7: {"FRANCE": "nation", "GERMANY": "nation2"},
    8: {"AMERICA": "region", "BRAZIL": "nation"},
    9: {"green": "color"},
    11: {"GERMANY": "nation"},
    17: {"Brand#23": "brand"},
    20: {"forest": "color", "CANADA": "nation"},
    21: {"SAUDI ARABIA": "nation"},
}
_FIRST = {
    "region": "ASIA",
    "nation": "INDIA",
    "nation2": "CHINA",
    "segment": "BUILDING",
    "brand": "Brand#23",
    "color": "green",
    "metal": "BRASS",
}
_SECOND = {
    "region": "EUROPE",
    "nation": "FRANCE",
    "nation2": "GERMANY",
    "segment": "MACHINERY",
    "brand": "Brand#55",
    "color": "forest",
    "metal": "STEEL",
}


def suites() -> Sequence[Trap]:
    """Their data are the same for any seed."""
    return (
        Trap(
            "TPC-DS",
            lambda folder, seed: make_tables(folder, TPCDS_SCALE_FACTOR),
            {f"query {number}": _with_places(text, {}) for number, text in query_texts().items() if number in _TPCDS},
            [Night()] * NIGHTS,
            {"spark.sql.ansi.doubleQuotedIdentifiers": "true"},
        ),
        Trap(
            "TPC-H, two sets of parameters",
            _make_tpch,
            {
                f"query {number}": _with_places(text, _PARAMETERS.get(number, {}))
                for number, text in query_texts(TPCH).items()
            },
            [Night([values]) for values in (_FIRST, _FIRST, _SECOND, _FIRST, _SECOND, _SECOND, _FIRST)],
            {},
        ),
    )


def _with_places(text: str, parameters: Mapping[str, str]) -> str:
    text = text.replace("{", "{{").replace("}", "}}")
    for found, name in parameters.items():
        text = text.replace(found, f"{{{name}}}")
    return text


def _make_tpch(folder: Path, seed: int) -> None:
    make_tables(folder, TPCH_SCALE_FACTOR, TPCH)
