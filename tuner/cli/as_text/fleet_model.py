"""What was learned of a fleet's operator times, as lines: of all of it, then of each kind of cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tuner.cost.learned.named_model import VARIABLE
from tuner.cost.learned.train_operator_times import MIN_QUERIES
from tuner.eventlog.location import local_path

if TYPE_CHECKING:
    from tuner.cost.learned.operator_times import Errors
    from tuner.pipeline.fleet_model import FleetModel, KindModel

# Kinds of clusters that are named one by one; the directory of the tables has the models of all.
MOST_KINDS = 12
_VALIDATED = ("prior", "fitted", "hybrid")


def fleet_model_lines(model: FleetModel) -> Iterator[str]:
    """Errors are factors that predictions of queries left out are off by: of half of them, and of nine in ten."""
    if model.outdated:
        yield (
            f"{model.outdated} logs teach no prices: an earlier version harvested them, and they are gone; put them back "
            "and run this again"
        )
    if model.skipped:
        yield f"no model of this fleet's operator times: {model.skipped}"
        return
    errors = model.errors.get("wall")
    off = f"; of queries left out, the median is off by a factor {errors.median:.1f}" if errors else ""
    yield f"operator times of this fleet, of {model.queries} queries{off}: {_how_to_use(model.path)} prices by them"
    yield from (f"  {_kind(kind)}" for kind in model.kinds[:MOST_KINDS])
    if (more := len(model.kinds) - MOST_KINDS) > 0:
        yield f"  and {more} more kinds of clusters, with fewer stages"


def _how_to_use(path: str) -> str:
    """The variable names a file of this machine."""
    local = local_path(path)
    return f"{VARIABLE}={local}" if local else f"copy {path} to a file of this machine, and {VARIABLE}=FILE"


def _kind(found: KindModel) -> str:
    had = f"{found.kind}: {found.queries} queries, {found.stages} stages"
    if not found.errors:
        return f"{had}: too few (fewer than {MIN_QUERIES} queries), the fleet's model serves: {found.path}"
    return f"{had}, core time off by (median, 90 %) {_off(found.errors)}: {found.path}"


def _off(errors: Mapping[str, Errors]) -> str:
    return ", ".join(
        f"{name} {errors[name].median:.1f} and {errors[name].p90:.1f}" for name in _VALIDATED if name in errors
    )
