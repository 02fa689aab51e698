"""TPC-DS night after night, as it is: what steering gains where nothing changes, and what it takes."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.certificate.trap import Night, Trap
from tuner.demo.tables import make_tables, query_texts

SCALE_FACTOR = 0.3
NIGHTS = 6
# Those whose joins' order matters most, and those that a cost-based order made slower.
_NUMBERS = (4, 17, 24, 25, 29, 50, 64, 72, 85)


def tpcds() -> Trap:
    """TPC-DS data are the same for any seed."""
    texts = query_texts()
    # Braces would be places for values.
    queries = {f"query {number}": texts[number].replace("{", "{{").replace("}", "}}") for number in _NUMBERS}
    return Trap("TPC-DS", _make, queries, [Night()] * NIGHTS, {"spark.sql.ansi.doubleQuotedIdentifiers": "true"})


def _make(folder: Path, seed: int) -> None:
    make_tables(folder, SCALE_FACTOR)
