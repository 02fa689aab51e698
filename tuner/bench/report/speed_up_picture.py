"""A picture of what each query gained."""

from __future__ import annotations

from pathlib import Path

from tuner.bench.bench_result import BenchResult
from tuner.bench.report.svg_axes import COLOURS, svg_axes


def write_speed_ups(path: Path, result: BenchResult) -> None:
    """Each contender's queries from the one that lost most to the one that gained most, by ratio on a logarithmic scale.

    Errors as `svg_axes` has them.
    """
    with svg_axes(path) as axes:
        for contender, colour in zip(result.contenders[1:], COLOURS, strict=False):
            ratios = sorted(query.speed_up for query in contender.queries)
            axes.plot(
                range(1, len(ratios) + 1), ratios, ".-", color=colour, label=contender.name, linewidth=0.8, markersize=4
            )
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda ratio, _: f"{ratio:g}x")
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xlabel("queries, from the one that lost most to the one that gained most")
        axes.set_ylabel("speed-up")
