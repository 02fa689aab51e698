"""`[spark_tuner]` of airflow.cfg and `AIRFLOW__SPARK_TUNER__*`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from airflow_plugin.compat import conf
from tuner.errors import TunerError
from tuner.history.model import Mode

_SECTION = "spark_tuner"


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for every SparkTunedOperator that says nothing else. Empty strings are settings not given."""

    enabled: bool = True
    mode: Mode = Mode.AUTO
    sql_alchemy_conn: str = ""
    event_log_base: str = ""


def load() -> Settings:
    """The settings as Airflow's configuration gives them now. Raises TunerError for an unknown mode."""
    return Settings(
        enabled=conf.getboolean(_SECTION, "enabled", fallback=True),
        mode=_mode(_text("mode") or Mode.AUTO),
        sql_alchemy_conn=_text("sql_alchemy_conn"),
        event_log_base=_text("event_log_base"),
    )


def default_event_log_base(environ: Mapping[str, str] = os.environ) -> str:
    """A directory of this machine's, under AIRFLOW_HOME: only a driver that runs here can write to it."""
    return str(Path(environ.get("AIRFLOW_HOME") or "~/airflow").expanduser() / "spark-tuner-events")


def _text(option: str) -> str:
    return (conf.get(_SECTION, option, fallback="") or "").strip()


def _mode(name: str) -> Mode:
    try:
        return Mode(name.lower())
    except ValueError:
        raise TunerError(
            f"airflow.cfg, [{_SECTION}] mode: {name!r} is no mode; set it to one of {', '.join(Mode)}"
        ) from None
