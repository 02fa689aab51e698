"""GET api/cohort/audit: what people did."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from tuner.panel.models.answer import Answer


class AuditItem(Answer):
    """What a person did: a ruling on an action, an import of one, or a change of mode or objective (empty: back to the job's
    own)."""

    at: datetime
    by: str
    did: Literal["approve", "reject", "pin", "rollback", "import", "mode", "objective"]
    change_id: str = ""
    words: str = ""
    mode: str = ""
    objective: str = ""
    reason: str = ""
