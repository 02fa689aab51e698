"""What a report needs beside the core."""

from __future__ import annotations

from importlib.util import find_spec

from tuner.errors import RequirementError


def require_report() -> None:
    """RequirementError where the panel's answers cannot be made: better before a replay than after it."""
    missing = [name for name in ("fastapi", "pydantic") if find_spec(name) is None]
    if missing:
        raise RequirementError(
            f"a report is made of the panel's pages, which need {' and '.join(missing)}: "
            "pip install 'airflow-spark-tuner[ui]'"
        )
