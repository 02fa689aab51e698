"""The model of operator times, for `explain --model`, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.table import Table

from tuner.cli.terminal.console import console
from tuner.cli.terminal.print_lines import print_lines
from tuner.cli.terminal.tables import number_column, table, text_column
from tuner.cost.learned.calibrated_model import VARIABLE
from tuner.cost.learned.operator_times import Errors, OperatorTimes
from tuner.cost.learned.train_operator_times import MIN_QUERIES
from tuner.cost.unit_costs import PRICE_UNITS
from tuner.units import format_share

_ERRORS = {
    "prior": "core time, by the model before",
    "fitted": "core time, by prices",
    "hybrid": "core time, by prices and trees",
    "wall": "time on the clock",
}


def show(model: OperatorTimes, prior: OperatorTimes) -> None:
    """Prices beside those before, and what cross-validation says of them."""
    out, clock = console(), model.overheads
    learned_from = f"operator times learned from {model.trained_on}: {model.queries} queries, {model.stages} stages"
    print_lines(out, [learned_from])
    out.print(_prices(model, prior))
    on_the_clock = (
        f"on the clock: {clock.idle:.2f} x core time / cores, {clock.query_ms:.0f} ms a query, "
        f"{clock.stage_ms:.0f} ms a stage, {clock.broadcast_ms:.0f} ms a broadcast"
    )
    print_lines(out, ["", on_the_clock, ""])
    if not model.errors:
        print_lines(out, [f"no errors to show: cross-validation needs {MIN_QUERIES} different queries"])
        return
    out.print(_errors(model))
    print_lines(out, ["(the model before may have learned from these queries)", *_trees(model)])
    print_lines(out, ["", f"to put it to use: --save FILE, then {VARIABLE}=FILE"])


def _trees(model: OperatorTimes) -> Iterator[str]:
    if model.residual.trees:
        share = format_share(model.residual.share)
        yield from ("", f"{len(model.residual.trees)} trees correct the prices, weighted by {share}")


def _prices(model: OperatorTimes, prior: OperatorTimes) -> Table:
    found = table(text_column("one core takes"), text_column("per"), number_column("learned"), number_column("before"))
    learned, before = asdict(model.costs), asdict(prior.costs)
    for name, unit in PRICE_UNITS.items():
        found.add_row(name.replace("_", " "), unit, _duration(learned[name]), _duration(before[name]))
    return found


def _errors(model: OperatorTimes) -> Table:
    heads = ("median", "90 % within", "within 2x", "8 of 10 take")
    found = table(text_column("error on queries left out"), *map(number_column, heads))
    for name, text in _ERRORS.items():
        if (errors := model.errors.get(name)) is not None:
            found.add_row(text, *_error_cells(errors))
    return found


def _error_cells(errors: Errors) -> tuple[str, ...]:
    interval = f"{errors.low:.2f} to {errors.high:.2f} x"
    return f"{errors.median:.2f} x", f"{errors.p90:.2f} x", format_share(errors.within_2), interval


def _duration(nanoseconds: float) -> str:
    if nanoseconds >= 1e6:
        return f"{nanoseconds / 1e6:,.1f} ms"
    return f"{nanoseconds / 1e3:,.1f} us" if nanoseconds >= 1e4 else f"{nanoseconds:,.1f} ns"
