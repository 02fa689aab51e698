"""What becomes of the lists of values in one condition; the agent's jar is held to the same table."""

from __future__ import annotations

LIST_CASES: tuple[tuple[str, str], ...] = (
    ("a IN (3,1,2)", "a IN (1,2,3)"),
    ("a INSET 3, 1, 2", "a IN (1,2,3)"),
    ("(a INSET 3, 1) AND b IN (2, 1, 2)", "(a IN (1,3)) AND b IN (1,2)"),
    ("a INSET 2, 1 AND b INSET 4, 3 OR c INSET 6, 5", "a IN (1,2) AND b IN (3,4) OR c IN (5,6)"),
    # Values that read like lists, and such as hold brackets.
    ("a INSET 2 INSET 1, 0)", "a IN (0,2 INSET 1))"),
    ("a INSET 2, (1)", "a INSET 2, (1)"),
    ("a INSET 2, 1 INSET 0 IN (4,3) INSET 6, 5", "a INSET 2, 1 INSET 0 IN (3,4) IN (5,6)"),
    ("a INSET IN (2,1)", "a INSET IN (1,2)"),
    ("a INSET(2) INSETS 1 (INSET 2, 1) INSET 2, 1", "a INSET(2) INSETS 1 (INSET 2, 1) IN (1,2)"),
    ("a IN ($1,\\1)", "a IN ($1,\\1)"),
    ("", ""),
)
HOSTILE_LISTS = (
    " INSET" * 20_000 + " (",
    " INSET " * 20_000 + " (",
    " INSET a IN" * 20_000 + " (",
    " IN (" * 20_000,
    (" INSET" * 100 + " (") * 200,
)
