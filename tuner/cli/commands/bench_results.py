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
    from tuner.bench.report.finished_bench import read_finished
    from tuner.bench.report.picture_names import picture_names
    from tuner.bench.report.results_document import results_document
    from tuner.bench.report.speed_up_picture import write_speed_ups
    from tuner.bench.report.stream_picture import write_nights
    from tuner.bench.results import BenchResult
    from tuner.bench.stream.stream_result import StreamResult

    names = picture_names(directories)
    found = [(name, *read_finished(directory)) for name, directory in zip(names, directories, strict=True)]
    benches = {name: bench for name, bench, _ in found if bench}
    streams = {f"{name}-stream": stream for name, _, stream in found if stream}
    if page is None:
        typer.echo(results_document([*benches.values()], [*streams.values()]), nl=False)
        return
    measured: dict[str, BenchResult | StreamResult] = {name: one.result for name, one in (benches | streams).items()}
    pictures = {
        place: f"images/{page.stem}-{name}.svg"
        for place, (name, one) in enumerate(measured.items())
        if len(one.contenders) > 1
    }
    results = list(measured.values())
    for place, address in pictures.items():
        one = results[place]
        if isinstance(one, StreamResult):
            write_nights(page.parent / address, one)
        else:
            write_speed_ups(page.parent / address, one)
    write_page(page, results_document([*benches.values()], [*streams.values()], pictures))
