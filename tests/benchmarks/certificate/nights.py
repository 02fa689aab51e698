"""A job's nights one after the other, steered beside unsteered; a run that was broken off goes on where it was."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import tuner
from tests.benchmarks.certificate.pair import Pair, Ran
from tests.benchmarks.certificate.run_job import run_job
from tests.benchmarks.certificate.trap import Night, Trap
from tests.benchmarks.certificate.verdict import is_in_doubt
from tuner.source_digest import digest_of

SOURCE = Path(tuner.__file__).parent
STEERED, TWIN = "steered", "twin"
# So many pairs more where one is in doubt.
AGAIN = 3


def play_nights(trap: Trap, folder: Path, seed: int, known: Sequence[Pair]) -> Iterator[Pair]:
    """The pairs that come after those known; without any, from the first night on, with new data and a new store."""
    if not known:
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "tables").mkdir(parents=True)
        trap.makes_data(folder / "tables", seed)
    elif (folder / "before.db").exists():
        # Its last pair may have been broken off after its store went on.
        shutil.copy(folder / "before.db", folder / "history.db")
    tries = chain.from_iterable(_tries(number, night) for number, night in enumerate(trap.nights, 1))
    data = 0
    for place, (number, night, missed) in enumerate(tries):
        changes = night.changes_data is not None and (missed or not night.misses_input)
        data += changes
        if place < len(known):
            continue
        if changes and night.changes_data:
            night.changes_data(folder / "tables", seed + number)
        yield _pair(
            trap,
            # Not as it was when this process began: each run loads it anew.
            Pair(seed, trap.name, number, missed, data, (), (), digest_of(SOURCE)),
            night,
            folder,
            f"{seed} {trap.name} {place}",
        )


def _tries(number: int, night: Night) -> list[tuple[int, Night, bool]]:
    missed = [(number, night, True)] if night.misses_input else []
    return [*missed, (number, night, False)]


def _pair(trap: Trap, pair: Pair, night: Night, folder: Path, seed: str) -> Pair:
    chance = random.Random(seed)
    tables = folder / ("missing" if pair.missed else "tables")
    store, before = folder / "history.db", folder / "before.db"
    if store.exists():
        shutil.copy(store, before)

    def ran(which: str, its_store: Path) -> Ran:
        return run_job(trap, night, tables, folder / which, its_store if which == STEERED else None)

    def both(its_store: Path) -> Pair:
        order = [STEERED, TWIN]
        chance.shuffle(order)
        found = {which: ran(which, its_store) for which in order}
        return replace(pair, steered=(*pair.steered, found[STEERED]), twin=(*pair.twin, found[TWIN]))

    pair = both(store)
    for _ in range(AGAIN):
        if not is_in_doubt(pair):
            break
        copy = folder / "again.db"
        copy.unlink(missing_ok=True)
        if before.exists():
            shutil.copy(before, copy)
        pair = both(copy)
    if store.exists():
        # Where the next pair starts from, if that is broken off or never begins.
        shutil.copy(store, before)
    return pair
