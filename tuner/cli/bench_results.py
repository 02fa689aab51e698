"""`spark-tuner bench-results`: what finished benches measured, as one page of Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tuner.cli.write_page import write_page


def bench_results(
    directories: Annotated[
        list[Path], typer.Argument(help="Directories of benches that came to their end.", metavar="DIR…")
    ],
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it there, with pictures under images/ beside it; without, print it."),
    ] = None,
) -> None:
    """Tell what benches measured as one page of Markdown: what got slower first, then what was gained, with each command."""
    from tuner.bench.report.finished_bench import read_finished
    from tuner.bench.report.results_document import results_document
    from tuner.bench.report.speed_up_picture import write_speed_ups

    benches = [read_finished(directory) for directory in directories]
    pictures: dict[int, str] = {}
    if page is None:
        typer.echo(results_document(benches, pictures), nl=False)
        return
    for place, bench in enumerate(benches):
        if len(bench.result.contenders) > 1:
            pictures[place] = f"images/{page.stem}-{place + 1}.svg"
            write_speed_ups(page.parent / pictures[place], bench.result)
    write_page(page, results_document(benches, pictures))
