"""What is derived of real plans against what they have: small logs of every Spark version, and others' where there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cost.what_if.agreement import PLANNED, Comparison
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application

GOLDEN = Path(__file__).parents[2] / "golden/logs"
FOREIGN = Path(__file__).parents[4] / "shared/eventlogs"


def compare(*roots: Path) -> Comparison:
    """One comparison over several logs."""
    (first, *others) = [Comparison(read_application(source)) for root in roots for source in find_logs(root)]
    for comparison in (first, *others):
        comparison.run()
    for other in others:
        first.agreement.right += other.agreement.right
        first.agreement.differences += other.agreement.differences
        first.agreement.wrong += other.agreement.wrong
    return first


@pytest.mark.parametrize("version", sorted(path.name for path in GOLDEN.iterdir()))
def test_exchanges_sorts_and_broadcasts_are_those_of_every_version(version: str) -> None:
    agreement = compare(*GOLDEN.joinpath(version).glob("[as]*-s*")).agreement
    assert agreement.right["exchanges"] >= 10
    assert not [line for line in agreement.differences if line.startswith(PLANNED)]


def test_exchanges_sorts_broadcasts_and_strategies_are_those_of_foreign_logs() -> None:
    if not FOREIGN.is_dir():
        pytest.skip(f"no {FOREIGN}")
    agreement = compare(FOREIGN / "nds_q72_dataproc_2_2.zstd").agreement
    assert agreement.right["strategies as ran"]
    assert not agreement.differences
