"""What was imported for a cohort, also before its first run."""

from __future__ import annotations

from tuner.history.store import Store
from tuner.model.decision import DecidedChange, Standing
from tuner.model.imported_change import ImportedChange
from tuner.model.verdict import Ruling
from tuner.policy.rulings import Rulings, ruled_by

_STANDINGS = {Ruling.PIN: Standing.PINNED, Ruling.REJECT: Standing.HELD, Ruling.ROLL_BACK: Standing.ROLLED_BACK}


def imported_changes(store: Store, cohort: str) -> tuple[DecidedChange, ...]:
    """Each where people have put it; proposed where they have not."""
    imported = store.imports(cohort)
    rulings = Rulings.of(store.verdicts(cohort) if imported else (), (one.change for one in imported))
    return tuple(_decided(one, rulings) for one in imported)


def _decided(one: ImportedChange, rulings: Rulings) -> DecidedChange:
    verdict = rulings.on(one.change)
    if verdict is None:
        return DecidedChange(one.change, Standing.PROPOSED, one.change.reason)
    standing = _STANDINGS.get(verdict.ruling, Standing.PROPOSED)
    return DecidedChange(one.change, standing, ruled_by(verdict, (one.change.reason,)))
