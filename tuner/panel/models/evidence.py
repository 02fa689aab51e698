"""The numbers behind a sentence."""

from __future__ import annotations

from tuner.panel.models.answer import Answer


class EvidenceItem(Answer):
    """A number behind a sentence. `unit` is as in the core: rows, bytes, seconds, runs, …"""

    what: str
    value: float
    unit: str
    of: str = ""
