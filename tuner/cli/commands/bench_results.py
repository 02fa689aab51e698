"""`spark-tuner bench-results`: what finished benches and streams measured, as one page of Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tuner.cli.as_text.write_page import write_page


def bench_results(
    directories: Annotated[
        list[Path], typer.Argument(help="Directories of benches and streams that came to their end.", metavar="DIR…")
    ],
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it there, with pictures under images/ beside it; without, print it."),
    ] = None,
) -> None:
    """Tell what benches measured as one page of Markdown: what got slower first, then what was gained, with each command."""
    from tuner.bench.bench_result import BenchResult
    from tuner.bench.report.finished_bench import read_finished
    from tuner.bench.report.picture_names import picture_names
    from tuner.bench.report.results_document import results_document
    from tuner.bench.report.speed_up_picture import write_speed_ups
    from tuner.bench.report.stream_picture import write_nights
    from tuner.bench.stream.stream_result import StreamResult

    found = [(directory.resolve().name, *read_finished(directory)) for directory in directories]
    benches, streams = [bench for _, bench, _ in found if bench], [stream for _, _, stream in found if stream]
    if page is None:
        typer.echo(results_document(benches, streams), nl=False)
        return
    measured: list[BenchResult | StreamResult] = [one.result for one in benches] + [one.result for one in streams]
    called = [name for name, bench, _ in found if bench] + [f"{name}-stream" for name, _, stream in found if stream]
    pictures = {
        place: f"images/{page.stem}-{name}.svg"
        for place, name in enumerate(picture_names(called))
        if len(measured[place].contenders) > 1
    }
    for place, address in pictures.items():
        one = measured[place]
        if isinstance(one, StreamResult):
            write_nights(page.parent / address, one)
        else:
            write_speed_ups(page.parent / address, one)
    write_page(page, results_document(benches, streams, pictures))
