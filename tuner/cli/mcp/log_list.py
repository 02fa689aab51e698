"""The event logs in some folders, as an answer to an agent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tuner.cli.mcp.log_answers import LogItem
from tuner.cli.mcp.log_folders import LogFolders
from tuner.eventlog.find import LogSource
from tuner.eventlog.location import shown
from tuner.eventlog.log_version import last_written, log_bytes
from tuner.panel.paging import page_of


def log_list(folders: LogFolders, search: str, limit: int, offset: int) -> dict[str, Any]:
    """A Page[LogItem] as JSON, newest first, of the logs with `search` in their paths, in any case."""
    wanted = search.casefold()
    found = [source for source in folders.sources() if wanted in str(source.path).casefold()]
    newest_first = sorted(found, key=lambda source: (-last_written(source), str(source.path)))
    return page_of(newest_first, _item, limit, offset).model_dump(mode="json")


def _item(source: LogSource) -> LogItem:
    written = last_written(source)
    return LogItem(
        path=shown(source.path),
        bytes=log_bytes(source),
        written_at=datetime.fromtimestamp(written, UTC) if written else None,
        in_progress=source.in_progress,
    )
