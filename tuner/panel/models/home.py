"""Where the panel is shown."""

from __future__ import annotations

from enum import StrEnum


class Home(StrEnum):
    """Where the panel is shown. report: a file, which nobody serves."""

    AIRFLOW = "airflow"
    STANDALONE = "standalone"
    REPORT = "report"
