"""Any decision and any outcome that is stored can be read again."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.history.store import Store
from tuner.model.decision import Decision
from tuner.model.join_graph import Joined
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome, RunState

from .samples import MIDNIGHT, running


@cache
def any_of(kind: Any) -> st.SearchStrategy[Any]:
    """Every value of a type of the model: 64-bit integers, finite floats, times in UTC."""
    if kind is Joined:
        return st.recursive(st.builds(Joined, st.integers(0, 40), st.integers(0, 40)), _joined, max_leaves=4)
    if kind is Reason:
        return st.recursive(_reason(st.just(())), lambda inner: _reason(st.tuples(inner)), max_leaves=3)
    arguments = get_args(kind)
    if get_origin(kind) in (Union, types.UnionType):
        return st.one_of(*map(any_of, arguments))
    if get_origin(kind) in (dict, Mapping):
        return st.dictionaries(*map(any_of, arguments), max_size=3)
    if get_origin(kind) is tuple and arguments[-1] is Ellipsis:
        return st.lists(any_of(arguments[0]), max_size=3).map(tuple)
    if get_origin(kind) is tuple:
        return st.tuples(*map(any_of, arguments))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from(kind)
    simple = {
        int: st.integers(-(2**63), 2**63 - 1),
        float: st.floats(allow_nan=False, allow_infinity=False),
        str: st.text(max_size=20),
        bool: st.booleans(),
        datetime: st.datetimes(timezones=st.just(UTC)),
        type(None): st.none(),
    }
    if kind in simple:
        return simple[kind]
    hints = get_type_hints(kind)
    names = getattr(kind, "_fields", None) or [field.name for field in fields(kind)]
    return st.builds(kind, **{name: any_of(hints[name]) for name in names})


def _reason(because: st.SearchStrategy[Any]) -> st.SearchStrategy[Reason]:
    numbers = any_of(get_type_hints(Reason)["numbers"])
    return st.builds(Reason, any_of(ReasonCode), numbers, because)


def _joined(orders: st.SearchStrategy[Joined]) -> st.SearchStrategy[Joined]:
    side = st.integers(0, 40) | orders
    return st.builds(Joined, side, side)


@pytest.fixture(scope="module")
def file_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path_factory.mktemp('documents')}/history.db") as store:
        yield store


@given(decision=any_of(Decision), outcome=any_of(Outcome))
def test_what_is_stored_is_read(file_store: Store, decision: Decision, outcome: Outcome) -> None:
    begun = replace(running(str(uuid4())), decision=decision)
    file_store.begin(begun)
    assert file_store.finish(begun.key, RunState.SUCCEEDED, MIDNIGHT, outcome)
    assert file_store.run(begun.key) == replace(begun, state=RunState.SUCCEEDED, ended_at=MIDNIGHT, outcome=outcome)
