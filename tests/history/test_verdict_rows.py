"""What people said of changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tuner.history.store import Store
from tuner.model.verdict import Ruling, Verdict

from .samples import MIDNIGHT


def test_verdicts_are_kept_in_the_order_in_which_they_were_given_whatever_clocks_said(store: Store) -> None:
    approved = Verdict("c", "set_conf:x=1", Ruling.APPROVE, "ann", MIDNIGHT, "looks right")
    rejected = replace(approved, ruling=Ruling.REJECT, by="bob", reason="")
    earlier = replace(approved, ruling=Ruling.PIN, at=MIDNIGHT - timedelta(days=1))
    for verdict in (approved, rejected, approved, earlier, replace(approved, cohort="other")):
        store.record(verdict)
    assert store.verdicts("c") == [approved, rejected, approved, earlier]
    assert store.verdicts("none") == []
