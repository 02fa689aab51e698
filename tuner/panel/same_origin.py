"""What changes something is asked for by the panel's own page: a page of another site cannot borrow a user's cookie."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

_OWN = ("same-origin", "none")


def from_own_page(request: Request) -> None:
    """Dependency of every POST: 415 for anything but JSON, which forms of other sites cannot send; 403 where the browser
    says that another origin asks.

    Over plain HTTP browsers send no Sec-Fetch-Site; then the Origin, where there is one, must be this host.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise HTTPException(415, "changes are sent as application/json")
    if not _is_own(request):
        raise HTTPException(403, "a page of another site asked for this change: open the panel itself to make it")


def _is_own(request: Request) -> bool:
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in _OWN
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
