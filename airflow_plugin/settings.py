"""`[spark_tuner]` of airflow.cfg and `AIRFLOW__SPARK_TUNER__*`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from configparser import InterpolationError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from airflow_plugin.compat import conf
from tuner.errors import TunerError
from tuner.loop.time_limits import MostSeconds, is_limit
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.size_change import Resources
from tuner.steering.directives import Steering
from tuner.steering.order_sensitive import OrderSensitive
from tuner.units import is_price, parse_bytes

_SECTION = "spark_tuner"
# As Airflow reads them.
_TRUE, _FALSE = frozenset({"true", "t", "1"}), frozenset({"false", "f", "0", ""})
_Kind = TypeVar("_Kind", Mode, Steering, OrderSensitive, Objective, Resources)


@dataclass(frozen=True)
class Settings:
    """What holds for every SparkTunedOperator that says nothing else. Empty strings are settings not given."""

    enabled: bool = True
    mode: Mode = Mode.AUTO
    event_log_base: str = ""
    steering: Steering = Steering.AGENT
    agent_jar: str = ""
    order_sensitive: OrderSensitive = OrderSensitive.STABLE
    borrow: bool = True
    objective: Objective = Objective.TIME
    most_seconds_before: float | None = None
    most_seconds_after: float | None = None
    resources: Resources = Resources.RAISE
    heal_retries: bool = False
    max_executor_memory: int | None = None
    max_driver_memory: int | None = None

    @cached_property
    def sql_alchemy_conn(self) -> str:
        """Asked for where it is needed, and once: a command or a secrets backend may tell it, and take its time."""
        return _text("sql_alchemy_conn")

    @property
    def most_seconds(self) -> MostSeconds:
        return MostSeconds(self.most_seconds_before, self.most_seconds_after)


def load() -> Settings:
    """The settings as Airflow's configuration gives them now. Raises TunerError for a word that is none of an option's, for
    seconds that are none, and for a % that stands alone."""
    return Settings(
        enabled=_flag("enabled", True),
        mode=_one_of(Mode, "mode", Mode.AUTO),
        event_log_base=_text("event_log_base"),
        steering=_one_of(Steering, "steering", Steering.AGENT),
        agent_jar=_text("agent_jar"),
        order_sensitive=_one_of(OrderSensitive, "order_sensitive", OrderSensitive.STABLE),
        borrow=_flag("borrow", True),
        objective=_one_of(Objective, "objective", Objective.TIME),
        most_seconds_before=_seconds("most_seconds_before"),
        most_seconds_after=_seconds("most_seconds_after"),
        resources=_one_of(Resources, "resources", Resources.RAISE),
        heal_retries=_flag("heal_retries", False),
        max_executor_memory=_bytes("max_executor_memory"),
        max_driver_memory=_bytes("max_driver_memory"),
    )


def core_hour_price() -> float | None:
    """What an hour of an executor's core costs, in any currency; None where it is not given. Raises TunerError for what is no
    price. No part of `load`: it is for people to read, and must keep no job from being tuned."""
    text = _text("core_hour_price")
    try:
        price = float(text) if text else None
    except ValueError:
        price = -1.0
    if price is not None and not is_price(price):
        raise TunerError(
            f"airflow.cfg, [{_SECTION}] core_hour_price: {text!r} is not a price; give a number, such as 0.05"
        )
    return price


def mcp() -> bool:
    """Whether the API server offers tools for agents. Raises TunerError for what is neither true nor false. No part of `load`:
    it must keep no job from being tuned."""
    text = _text("mcp").lower()
    if text not in _FALSE | _TRUE:
        raise TunerError(f"airflow.cfg, [{_SECTION}] mcp: {text!r} is neither True nor False; set it to one of them")
    return text in _TRUE


def default_event_log_base(environ: Mapping[str, str] = os.environ) -> str:
    """A directory of this machine's, under AIRFLOW_HOME: only a driver that runs here can write to it."""
    return str(Path(environ.get("AIRFLOW_HOME") or "~/airflow").expanduser() / "spark-tuner-events")


def _text(option: str) -> str:
    with _quoting_nothing(option):
        return (conf.get(_SECTION, option, fallback="") or "").strip()


def _flag(option: str, default: bool) -> bool:
    with _quoting_nothing(option):
        return bool(conf.getboolean(_SECTION, option, fallback=default))


@contextmanager
def _quoting_nothing(option: str) -> Iterator[None]:
    """TunerError for a % that stands alone: ConfigParser's own quotes what follows it, which may be of a password."""
    try:
        yield
    except InterpolationError:
        raise TunerError(f"airflow.cfg, [{_SECTION}] {option}: a % stands alone; write each as %%") from None


def _seconds(option: str) -> float | None:
    text = _text(option)
    try:
        seconds = float(text) if text else None
    except ValueError:
        seconds = 0.0
    if seconds is not None and not is_limit(seconds):
        raise TunerError(
            f"airflow.cfg, [{_SECTION}] {option}: {text!r} is not a number of seconds above 0; give one, such as 5"
        )
    return seconds


def _bytes(option: str) -> int | None:
    """A size as Spark writes them; a number alone counts MiB."""
    text = _text(option)
    size = parse_bytes(text, "m") if text else None
    if text and (size or 0) <= 0:
        raise TunerError(f"airflow.cfg, [{_SECTION}] {option}: {text!r} is not a size; give one, such as 24g")
    return size


def _one_of(kind: type[_Kind], option: str, default: _Kind) -> _Kind:
    name = _text(option) or default.value
    try:
        return kind(name.lower())
    except ValueError:
        raise TunerError(
            f"airflow.cfg, [{_SECTION}] {option}: {name!r} is not one; set it to one of {', '.join(kind)}"
        ) from None
