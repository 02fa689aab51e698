"""A job that is SQL: from the operator's `sql` to what spark-submit is given."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.steering.shipped_files import STATEMENTS_FILE

if TYPE_CHECKING:
    from jinja2 import Environment

_RUNNER = "tuner.steering.sql_runner"


def is_path(sql: object) -> bool:
    """One line that ends in .sql. SQL text may end so too, in a comment, but has other lines before it."""
    return isinstance(sql, str) and sql.endswith(".sql") and "\n" not in sql


def read_source(path: str, environment: Environment) -> str:
    """Text of a .sql file: an absolute path, or one in the DAG's template search path. Raises FileNotFoundError, and ValueError
    for one that is not UTF-8."""
    from jinja2 import TemplateNotFound

    file = Path(path)
    try:
        if file.is_absolute() and file.is_file():
            return file.read_text(encoding="utf-8")
        if environment.loader is None:
            raise TemplateNotFound(path)
        return environment.loader.get_source(environment, path)[0]
    except UnicodeDecodeError as error:
        raise ValueError(f"sql={path!r}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from None
    except TemplateNotFound:
        places = getattr(environment.loader, "searchpath", [])
        raise FileNotFoundError(
            f"sql={path!r}: no such file, absolute or in {places or 'a template search path (the task has no DAG)'}; "
            "mend the path or add its folder to the DAG's template_searchpath"
        ) from None


def write_statements(statements: tuple[str, ...], directory: str) -> str:
    """Path of the JSON file the SQL runner reads its statements from."""
    path = Path(directory, STATEMENTS_FILE)
    path.write_text(json.dumps({"statements": list(statements)}), encoding="utf-8")
    return str(path)


def runner_path() -> str:
    """Path of the PySpark application that runs the statements. Found without being imported: it imports PySpark."""
    spec = find_spec(_RUNNER)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{_RUNNER} is not installed; reinstall airflow-spark-tuner")
    return spec.origin
