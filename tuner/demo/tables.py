"""Tables and query texts of TPC-DS and TPC-H from duckdb's extensions, which packages hold: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tuner.demo.written_once import is_written, written_once
from tuner.errors import RequirementError

if TYPE_CHECKING:
    import duckdb


class Suite(NamedTuple):
    """A benchmark in an extension of duckdb: its package, what makes its tables, and its queries with their numbers."""

    package: str
    generate: str
    queries: str


_DATABASE = "_generated.duckdb"

TPCDS = Suite("duckdb_extension_tpcds", "CALL dsdgen(sf={:g})", "SELECT query_nr, query FROM tpcds_queries()")
TPCH = Suite("duckdb_extension_tpch", "CALL dbgen(sf={:g})", "SELECT query_nr, query FROM tpch_queries()")


def make_tables(directory: Path, scale_factor: float, suite: Suite = TPCDS) -> None:
    """Write each table as Parquet under `directory/<table>/`. Does nothing when an earlier call finished there."""
    if is_written(directory):
        return
    with generated(suite, scale_factor, directory) as connection, written_once(connection, directory) as write:
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            write(table, f"FROM {table}")


def query_texts(suite: Suite = TPCDS) -> dict[int, str]:
    """The queries by number, without a closing semicolon."""
    with loaded(suite) as connection:
        rows = connection.execute(suite.queries).fetchall()
    return {number: text.strip().rstrip(";").rstrip() for number, text in rows}


@contextmanager
def generated(suite: Suite, scale_factor: float, directory: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database that holds the suite's tables: a file in `directory`, which goes when all is done.

    In memory TPC-DS took 16 GB at scale factor 10.
    """
    directory.mkdir(parents=True, exist_ok=True)
    database = directory / _DATABASE
    remains = (database, database.with_name(f"{_DATABASE}.wal"))
    for file in remains:  # of a call that was killed
        file.unlink(missing_ok=True)
    try:
        with loaded(suite, database) as connection:
            connection.execute(suite.generate.format(scale_factor))
            yield connection
    finally:
        for file in remains:
            file.unlink(missing_ok=True)


@contextmanager
def loaded(suite: Suite, database: Path | str = ":memory:") -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the extension loaded. Raises RequirementError where its packages are not installed."""
    spec = find_spec(suite.package)
    if spec is None or spec.origin is None or find_spec("duckdb") is None:
        raise RequirementError(
            f"duckdb or {suite.package.replace('_', '-')} is not installed; "
            "pip install 'airflow-spark-tuner[bench]', or [demo] for the demo"
        )
    import duckdb

    extension = next(Path(spec.origin).parent.rglob(f"v{duckdb.__version__}/*.duckdb_extension"), None)
    if extension is None:
        raise RequirementError(
            f"{suite.package.replace('_', '-')} is not for duckdb {duckdb.__version__}; install the same version of both"
        )
    with duckdb.connect(database) as connection:
        connection.execute(f"LOAD '{extension}'")
        yield connection
