"""TPC-DS tables and query texts from duckdb's extension, which its PyPI package holds: nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.errors import RequirementError

if TYPE_CHECKING:
    import duckdb

_COMPLETE = "_complete"


def make_tables(directory: Path, scale_factor: float) -> None:
    """Write each table as Parquet under `directory/<table>/`. Does nothing when an earlier call finished there."""
    if (directory / _COMPLETE).exists():
        return
    directory.mkdir(parents=True, exist_ok=True)
    with _tpcds() as connection:
        connection.execute(f"CALL dsdgen(sf={scale_factor:g})")
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            target = directory / table
            target.mkdir(exist_ok=True)
            file = str(target / "part-0.parquet").replace("'", "''")
            connection.execute(f"COPY {table} TO '{file}' (FORMAT parquet)")
    (directory / _COMPLETE).touch()


def query_texts() -> dict[int, str]:
    """The 99 queries by number, without a closing semicolon."""
    with _tpcds() as connection:
        rows = connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall()
    return {number: text.strip().rstrip(";").rstrip() for number, text in rows}


@contextmanager
def _tpcds() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the extension loaded. Raises RequirementError where its packages are not installed."""
    spec = find_spec("duckdb_extension_tpcds")
    if spec is None or spec.origin is None or find_spec("duckdb") is None:
        raise RequirementError("the demo's packages are missing; pip install 'airflow-spark-tuner[demo]'")
    import duckdb

    extension = next(Path(spec.origin).parent.rglob(f"v{duckdb.__version__}/*.duckdb_extension"), None)
    if extension is None:
        raise RequirementError(
            f"duckdb-extension-tpcds is not for duckdb {duckdb.__version__}; install the same version of both"
        )
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        yield connection
