"""Which query something is of."""

from __future__ import annotations

from tuner.panel.models.answer import Answer


class QueryRef(Answer):
    """A query: its id, and its name for people, which holds no description where the user may not read the DAG's code."""

    fingerprint: str
    name: str
