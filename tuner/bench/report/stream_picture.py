"""A picture of what a stream took over its nights."""

from __future__ import annotations

from pathlib import Path

from tuner.bench.report.svg_axes import COLOURS, svg_axes
from tuner.bench.stream.stream_result import StreamResult


def write_nights(path: Path, result: StreamResult) -> None:
    """Each contender's seconds with tuning, summed up over the nights. Errors as `svg_axes` has them."""
    default, *others = result.contenders
    with svg_axes(path) as axes:
        for contender, colour in zip((default, *others), ("black", *COLOURS), strict=False):
            nights = range(1, len(contender.by_night) + 1)
            axes.plot(nights, contender.by_night, ".-", color=colour, label=contender.name, linewidth=0.8, markersize=4)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("nights")
        axes.set_ylabel("seconds with tuning, summed up")
