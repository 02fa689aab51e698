"""How far a bench is: a bar in a terminal; where the output is none, a line for each query with the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from tuner.bench.progress import Step
from tuner.cli.terminal.print_lines import print_lines
from tuner.printable import printable
from tuner.units import format_seconds

_MOST_CHARACTERS = 200


@contextmanager
def shown_progress(console: Console) -> Iterator[Callable[[Step], None]]:
    """While it lasts, what shows each step."""
    if not console.is_terminal:
        yield lambda step: print_lines(console, [step_line(step)])
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(step: Step) -> None:
            description = escape(printable(f"{step.contender}, run {step.number}; {_left(step)}", _MOST_CHARACTERS))
            bar.update(task, description=description, completed=step.done, total=step.total)

        yield show


def step_line(step: Step) -> str:
    """As in "tuner, run 3: q17 took 4.2 s; 57 of 182 queries done, about 12 min 5 s left"."""
    took, error = format_seconds(step.query.seconds), printable(step.query.error, _MOST_CHARACTERS)
    how, why = (f"failed after {took}", f": {error}") if error else (f"took {took}", "")
    done = f"{step.done} of {step.total} queries done, {_left(step)}"
    return f"{step.contender}, run {step.number}: {step.query.name} {how}; {done}{why}"


def _left(step: Step) -> str:
    return f"about {format_seconds(step.left_seconds)} left"
