"""What is lent can be opened by who reads what its query reads, and tells nobody else anything."""

from __future__ import annotations

import pytest
from msgspec import structs

from tuner.model.agent_message import (
    HintDirective,
    OrderDirective,
    QueryDirectives,
    decode_message,
    decode_whole,
    encode_message,
)
from tuner.plan.sealed_directives import opened, seal

RELATIONS, COLUMNS = ("db.payroll", "db.people", "/lake/s3cret"), "0123456789abcdef"
HINT = HintDirective(
    "hint_join:q/j=BROADCAST(db.people)", "j" * 0 + "a" * 16, "BROADCAST", ("db.people",), 4000, 9000, ("b" * 16,)
)
ORDER = OrderDirective(
    "order_joins:q/b=((a c) b)", (("db.people",), ("db.payroll",)), (((0,), (1,), "id", "ü\U0001f600"),), (1, 0)
)
QUERY = QueryDirectives("f" * 16, RELATIONS, COLUMNS, (HINT,), (ORDER,))


def test_who_reads_the_same_opens_it() -> None:
    others = seal(structs.replace(QUERY, fingerprint="e" * 16, relations=("db.other",)))
    assert opened([others, seal(QUERY)], sorted(RELATIONS), COLUMNS) == (QUERY,)
    assert opened([seal(QUERY)], RELATIONS[::-1], COLUMNS) == (QUERY,), "in whatever order it reads them"


@pytest.mark.parametrize(
    ("relations", "columns"),
    [(RELATIONS[:2], COLUMNS), ((*RELATIONS, "db.more"), COLUMNS), (RELATIONS, "f" * 16), ((), "")],
)
def test_who_reads_anything_else_does_not(relations: tuple[str, ...], columns: str) -> None:
    assert opened([seal(QUERY)], relations, columns) == ()


def test_no_name_and_no_number_stands_in_the_message() -> None:
    text = encode_message((), (seal(QUERY),))
    assert not any(
        word in text for word in ("payroll", "people", "lake", "BROADCAST", "4000", "db.", QUERY.fingerprint)
    )
    assert decode_message(text) == ()
    assert opened(decode_whole(text).sealed, RELATIONS, COLUMNS) == (QUERY,)


def test_the_same_is_sealed_the_same_way_and_another_under_another_key() -> None:
    one, other = seal(QUERY), seal(structs.replace(QUERY, hints=()))
    assert seal(QUERY) == one
    assert (one.lock, one.nonce != other.nonce, one.body[:20] != other.body[:20]) == (other.lock, True, True)


@pytest.mark.parametrize("body", ["", "no base64", "AAAA", seal(QUERY).body[:-8], "A" * 400])
def test_what_is_not_as_it_was_sealed_is_left_alone(body: str) -> None:
    assert opened([structs.replace(seal(QUERY), body=body)], RELATIONS, COLUMNS) == ()


def test_an_order_that_joins_an_item_twice_is_left_alone() -> None:
    wrong = structs.replace(QUERY, orders=(structs.replace(ORDER, order=(1, 1)),))
    assert opened([seal(wrong)], RELATIONS, COLUMNS) == ()
