"""Numbers of sentences, drawn."""

from __future__ import annotations

from hypothesis import strategies as st

from tuner.model.reason import Number


def alike(number: Number) -> st.SearchStrategy[Number]:
    """Numbers of the kind that one is; of a kind of its own, that one alone."""
    match number:
        case bool():
            return st.booleans()
        case int():
            return st.integers(0, 10**18)
        case float():
            return st.floats(allow_nan=False, allow_infinity=False)
        case str():
            return st.text()
        case _:
            return st.just(number)
