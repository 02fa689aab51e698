"""One Spark application over the TPC-DS queries, for every test that compares plans of real runs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import AT_LENGTH
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Application

_DATE = re.compile(r"'(\d{4})-(\d{2})-(\d{2})'")
_APP = Path(__file__).with_name("tpcds_app.py")
OTHER_DATE = "on another date"
# All 99 take minutes; these have what the others have: self-joins, CTEs, set operations, outer and existence joins.
_ALWAYS = frozenset({2, 8, 10, 14, 16, 23, 35, 41, 49, 64, 77, 88, 95, 97})


def on_another_date(query: str) -> str:
    """The query with each date literal half a year away, as a recurring job would write it."""
    return _DATE.sub(lambda d: f"'{d[1]}-{(int(d[2]) + 5) % 12 + 1:02d}-{d[3]}'", query)


@pytest.fixture(scope="session")
def tpcds_application(
    tpcds_tables: Path,
    tpcds_queries: dict[int, str],
    spark_submit: Callable[..., Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Application:
    """Queries by default and steered, some of them also on other dates, and a DataFrame program.

    A fifth of the 99, or all of them at night.
    """
    root = tmp_path_factory.mktemp("identity")
    queries = {
        f"q{number}": text
        for number, text in tpcds_queries.items()
        if AT_LENGTH or number % 20 == 0 or number in _ALWAYS
    }
    dated = [name for name, text in queries.items() if _DATE.search(text)][:6]
    redated = {f"{name} {OTHER_DATE}": on_another_date(queries[name]) for name in dated}
    files = [root / name for name in ("queries.json", "once.json", "failures.json")]
    for file, content in zip(files, (queries, redated), strict=False):
        file.write_text(json.dumps(content))
    conf = {
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        "spark.sql.shuffle.partitions": "4",
        # A shorter text beside each plan, which nothing reads.
        "spark.sql.ui.explainMode": "simple",
    }
    logs = spark_submit(_APP, tpcds_tables, *files, log_dir=root / "logs", conf=conf)
    assert json.loads((root / "failures.json").read_text()) == {}
    (source,) = find_logs(logs)
    return read_application(source)
