"""Causes have a kind each."""

from __future__ import annotations

from tuner.compare.cause import KINDS, CauseCode, CauseKind


def test_every_code_is_of_a_kind_and_every_kind_has_a_code() -> None:
    assert set(KINDS) == set(CauseCode)
    assert set(KINDS.values()) == set(CauseKind)
