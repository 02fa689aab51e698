"""Where the panel's own files are, and what its policy allows beside them: no web framework is needed to know that."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "static"
# The one <style> element that Observable Plot 0.6 puts into its charts, a constant text.
PLOT_STYLE = "'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='"
