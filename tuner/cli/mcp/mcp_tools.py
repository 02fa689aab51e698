"""What the command's user may ask: all that his store holds, and the logs in the folders that he named."""

from __future__ import annotations

from tuner.cli.mcp.log_folders import LogFolders
from tuner.history.store import Store
from tuner.mcp.store_tools import StoreTools
from tuner.mcp.tools import Tools
from tuner.panel.access import Access
from tuner.panel.kept_store import KeptStore
from tuner.panel.loopback import Owner
from tuner.panel.models.home import Home
from tuner.panel.recent_runs import RecentRuns
from tuner.person import this_person


def mcp_tools(url: str, folders: LogFolders, core_hour_price: float | None = None) -> Tools:
    """The store is opened when first needed. There are no tools over logs without a folder."""
    access = Access(KeptStore(lambda: Store.open(url)), Owner(this_person()), RecentRuns())
    tools = [*StoreTools(access, Home.STANDALONE, core_hour_price)]
    if folders.folders:
        # What reads logs: who asks of the store alone does not wait for it.
        from tuner.cli.mcp.log_tools import LogTools

        tools += LogTools(folders, core_hour_price)
    return Tools(tools, Home.STANDALONE)
