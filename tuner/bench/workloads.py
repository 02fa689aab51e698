"""The jobs that a bench can run: TPC-DS, or any directory of SQL over any directory of Parquet tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from tuner.bench.bench_run import Workload
from tuner.errors import TunerError


def tpcds(scale_factor: float, names: Collection[str], tables: Path) -> Workload:
    """TPC-DS queries (`q01` to `q99`; all if no names are given). Missing tables are made below `tables`.

    Raises RequirementError without the packages that make them, TunerError for an unknown query.
    """
    from tuner.demo.tables import make_tables, query_texts

    texts = {f"q{number:02d}": text for number, text in sorted(query_texts().items())}
    queries = _chosen(texts, [_tpcds_name(name) for name in names], "TPC-DS")
    directory = tables / f"sf{scale_factor:g}"
    make_tables(directory, scale_factor)
    return Workload(f"TPC-DS at scale factor {scale_factor:g}", queries, directory)


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
    return Workload(f"{sql.name} over {tables.name}", _chosen(texts, names, str(sql)), tables)


def _chosen(texts: Mapping[str, str], names: Collection[str], where: str) -> dict[str, str]:
    if unknown := [name for name in names if name not in texts]:
        raise TunerError(f"{where}: no query {', '.join(unknown)}; there are {', '.join(texts)}")
    return {name: text for name, text in texts.items() if not names or name in names}


def _tpcds_name(name: str) -> str:
    number = name.lower().removeprefix("q")
    return f"q{int(number):02d}" if number.isdecimal() else name


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip().rstrip(";").rstrip()
    except (OSError, UnicodeDecodeError) as error:
        raise TunerError(f"{file}: {getattr(error, 'strerror', None) or error}; give readable UTF-8 text") from error
