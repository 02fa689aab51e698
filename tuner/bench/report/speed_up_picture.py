"""A picture of what each query gained, for a page of Markdown."""

from __future__ import annotations

from pathlib import Path

from tuner.bench.results import BenchResult
from tuner.errors import RequirementError, TunerError

_COLOURS = ("#0b6e4f", "#c1440e", "#3a5a9b", "#8a6d1a", "#7a3b8f", "#4d4d4d")


def write_speed_ups(path: Path, result: BenchResult) -> None:
    """Each contender's queries from the one that lost most to the one that gained most, by ratio on a logarithmic scale, as SVG.

    RequirementError without Matplotlib; TunerError where the file cannot be written.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.ticker import FuncFormatter
    except ImportError:
        raise RequirementError("pictures need Matplotlib: pip install 'airflow-spark-tuner[bench]'") from None
    # The same bytes for the same result.
    with mpl.rc_context({"svg.hashsalt": "spark-tuner", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=(8, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for contender, colour in zip(result.contenders[1:], _COLOURS, strict=False):
            ratios = sorted(query.speed_up for query in contender.queries)
            axes.plot(
                range(1, len(ratios) + 1), ratios, ".-", color=colour, label=contender.name, linewidth=0.8, markersize=4
            )
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}x"))
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xlabel("queries, from the one that lost most to the one that gained most")
        axes.set_ylabel("speed-up")
        axes.grid(visible=True, axis="y", alpha=0.3)
        axes.legend(frameon=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        except OSError as error:
            raise TunerError(f"{path}: cannot write the picture: {error.strerror}") from error
