"""The model of operator times for `explain --model`: trained, as JSON and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from tuner.cli.explain_sources import Measured
from tuner.cost.learned.calibrated_model import VARIABLE
from tuner.cost.learned.operator_times import Errors, OperatorTimes
from tuner.cost.learned.train_operator_times import MIN_QUERIES, train_operator_times
from tuner.cost.unit_costs import PRICE_UNITS
from tuner.errors import TunerError
from tuner.units import format_share

_ERRORS = {
    "prior": "core time, by the model before",
    "fitted": "core time, by prices",
    "hybrid": "core time, by prices and trees",
    "wall": "time on the clock",
}


def trained(found: Sequence[Measured], prior: OperatorTimes) -> OperatorTimes:
    """The model of these queries; the prior itself where there are none. TunerError without scikit-learn."""
    if not found:
        return prior
    runs = len({one.run for one in found})
    try:
        return train_operator_times([one.sample for one in found], prior, f"{runs} run{'s' if runs > 1 else ''}")
    except ImportError as error:
        raise TunerError(
            f"training needs {error.name or 'scikit-learn'}: pip install 'airflow-spark-tuner[learn]'"
        ) from error


def as_json(model: OperatorTimes) -> dict[str, Any]:
    """The model without its trees."""
    return {
        "trained_on": model.trained_on,
        "queries": model.queries,
        "stages": model.stages,
        "unit_costs_ns": asdict(model.costs),
        "overheads": asdict(model.overheads),
        "residual": {"trees": len(model.residual.trees), "share": model.residual.share},
        "errors": {name: asdict(errors) for name, errors in model.errors.items()},
    }


def show(model: OperatorTimes, prior: OperatorTimes) -> None:
    """Prices beside those before, and what cross-validation says of them."""
    console = Console(highlight=False)
    console.print(
        f"operator times learned from {model.trained_on}: {model.queries} queries, {model.stages} stages", markup=False
    )
    console.print(_prices(model, prior))
    clock = model.overheads
    console.print(
        f"\non the clock: {clock.idle:.2f} x core time / cores, {clock.query_ms:.0f} ms a query, "
        f"{clock.stage_ms:.0f} ms a stage, {clock.broadcast_ms:.0f} ms a broadcast\n",
        markup=False,
        soft_wrap=True,
    )
    if not model.errors:
        console.print(f"no errors to show: cross-validation needs {MIN_QUERIES} different queries", soft_wrap=True)
        return
    console.print(_errors(model))
    console.print("(the model before may have learned from these queries)")
    if model.residual.trees:
        share = format_share(model.residual.share)
        console.print(f"\n{len(model.residual.trees)} trees correct the prices, weighted by {share}")
    console.print(f"\nto put it to use: --save FILE, then {VARIABLE}=FILE", soft_wrap=True)


def _prices(model: OperatorTimes, prior: OperatorTimes) -> Table:
    table = Table("one core takes", "per", box=None, pad_edge=False)
    table.add_column("learned", justify="right")
    table.add_column("before", justify="right")
    learned, before = asdict(model.costs), asdict(prior.costs)
    for name, unit in PRICE_UNITS.items():
        table.add_row(name.replace("_", " "), unit, _duration(learned[name]), _duration(before[name]))
    return table


def _errors(model: OperatorTimes) -> Table:
    table = Table("error on queries left out", box=None, pad_edge=False)
    for name in ("median", "90 % within", "within 2x", "8 of 10 take"):
        table.add_column(name, justify="right")
    for name, text in _ERRORS.items():
        if (errors := model.errors.get(name)) is not None:
            table.add_row(text, *_error_cells(errors))
    return table


def _error_cells(errors: Errors) -> tuple[str, ...]:
    interval = f"{errors.low:.2f} to {errors.high:.2f} x"
    return f"{errors.median:.2f} x", f"{errors.p90:.2f} x", format_share(errors.within_2), interval


def _duration(nanoseconds: float) -> str:
    if nanoseconds >= 1e6:
        return f"{nanoseconds / 1e6:,.1f} ms"
    return f"{nanoseconds / 1e3:,.1f} us" if nanoseconds >= 1e4 else f"{nanoseconds:,.1f} ns"
