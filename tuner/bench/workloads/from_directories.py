"""SQL of one's own over tables of one's own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tuner.bench.bench_run import Workload
from tuner.bench.workloads.chosen import chosen
from tuner.errors import TunerError


def from_directories(sql: Path, names: Collection[str], tables: Path) -> Workload:
    """The `*.sql` files of a directory, one query each, in order of name; `tables` has one folder of Parquet files a table.

    TunerError if there are none.
    """
    for directory in (sql, tables):
        if not directory.is_dir():
            raise TunerError(f"{directory}: no such directory")
    texts = {file.stem: _text(file) for file in sorted(sql.glob("*.sql"))}
    if not texts:
        raise TunerError(f"{sql}: no .sql file in it")
    if not any(entry.is_dir() for entry in tables.iterdir()):
        raise TunerError(
            f"{tables}: no folder in it; give a directory that has one folder of Parquet files for each table"
        )
    queries = {name: texts[name] for name in chosen(texts, names, str(sql))}
    return Workload(f"{sql.name} over {tables.name}", queries, tables)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip().rstrip(";").rstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise TunerError(f"{file}: {getattr(error, 'strerror', None) or error}; give readable UTF-8 text") from error
