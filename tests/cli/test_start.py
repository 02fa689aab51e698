"""What a command does not need, it does not wait for."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.processes


@pytest.mark.parametrize("module", ["tuner.cli.main", "tuner.loop.loop"])
def test_numbers_are_only_loaded_by_what_reckons_with_them(module: str) -> None:
    """A DAG is parsed every minute, and a status printed at once: neither loads numpy or scikit-learn."""
    found = f"import {module}, sys; print([m for m in ('numpy', 'scipy', 'sklearn', 'pyspark') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", found], capture_output=True, text=True, check=True).stdout == "[]\n"
