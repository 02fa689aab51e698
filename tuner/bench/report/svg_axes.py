"""Axes of a picture for a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tuner.errors import RequirementError, TunerError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0b6e4f", "#c1440e", "#3a5a9b", "#8a6d1a", "#7a3b8f", "#4d4d4d")


@contextmanager
def svg_axes(path: Path) -> Iterator[Axes]:
    """Written to the path as SVG at the end, the same bytes for the same drawing.

    RequirementError without Matplotlib; TunerError where the file cannot be written.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise RequirementError("pictures need Matplotlib: pip install 'airflow-spark-tuner[bench]'") from None
    with mpl.rc_context({"svg.hashsalt": "spark-tuner", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure = Figure(figsize=(8, 3.2), layout="constrained")
        axes = figure.add_subplot()
        axes.grid(visible=True, axis="y", alpha=0.3)
        yield axes
        axes.legend(frameon=False)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        except OSError as error:
            raise TunerError(f"{path}: cannot write the picture: {error.strerror}") from error
