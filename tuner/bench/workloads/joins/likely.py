"""How a column depends on others: most rows have what goes with them, the rest anything."""

from __future__ import annotations

# The share of a title's companies, persons and keywords that are of its own country, era and genre.
OWN = 0.85


def own_or_other(own: str, other: str, purpose: str, share: float = OWN) -> str:
    """SQL that gives `own` to a share of the rows, to the others `other`."""
    return f"CASE WHEN u(id, '{purpose}') < {share} THEN {own} ELSE {other} END"


def member_or_any(table: str, purpose: str) -> str:
    """SQL for a title's part: the id of a row of the title's own country and era, the famous more often; or of any."""
    rows = f"rows_of_{table}()"
    own = f"member({rows}, title_country_id, title__era, lean(u(id, '{purpose} of its own')))"
    return own_or_other(own, f"1 + floor({rows} * u(id, '{purpose} of any'))::BIGINT", purpose)
