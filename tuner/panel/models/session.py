"""GET api/session: who looks, and where."""

from __future__ import annotations

from tuner.panel.models.answer import Answer
from tuner.panel.models.home import Home


class Session(Answer):
    """Who looks, and where."""

    user: str
    home: Home
    version: str
