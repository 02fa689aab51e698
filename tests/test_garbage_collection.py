"""The garbage collector while a history is read and decided on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tuner.garbage_collection import collection_paused, collection_resumed


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_it_runs_again_afterwards_and_after_an_error() -> None:
    with suppress(ValueError), collection_paused():
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()


def test_it_runs_again_when_the_last_of_several_has_left() -> None:
    first, second = collection_paused(), collection_paused()
    with first:
        second.__enter__()
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()


def test_who_goes_on_without_waiting_for_those_within_has_it_run() -> None:
    with collection_paused():
        collection_resumed()
        assert gc.isenabled()
        with collection_paused():
            assert gc.isenabled(), "one that hangs keeps it from being paused again"
    assert gc.isenabled()
    with collection_paused():
        assert not gc.isenabled()


def test_one_that_was_off_is_not_resumed() -> None:
    gc.disable()
    with collection_paused():
        collection_resumed()
    collection_resumed()
    assert not gc.isenabled()
