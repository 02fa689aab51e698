"""How much of the server that it lives in the panel may take: bodies of a size, and so many questions at a time."""

from __future__ import annotations

from anyio import CapacityLimiter, fail_after
from anyio.lowlevel import RunVar
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Many times what a ruling on MOST_ITEMS changes takes.
MOST_BODY_BYTES = 1_000_000
# Each holds a thread while it reads the store, of the 40 that all of Airflow's API shares. Others wait without one.
MOST_AT_ONCE = 10
MOST_WAIT_SECONDS = 20.0

TOO_LARGE = f"the request has more than {MOST_BODY_BYTES:,} bytes; send fewer changes at once"
BUSY = f"the panel is busy with {MOST_AT_ONCE} questions that take long; try again in a while"

# By event loop: who waits in one is woken by another one only there.
_slots: RunVar[CapacityLimiter | None] = RunVar("spark_tuner_panel_slots", None)


class TooLargeError(Exception):
    """A body has more than MOST_BODY_BYTES."""


class BoundedRequests:
    """ASGI middleware: 413 for larger bodies; 503 for a question to the store that finds no slot in time. The page and its
    files, which are in memory, need none."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            # Before it has a slot: who sends slowly keeps nobody waiting.
            received = await _received(receive)
        except TooLargeError:
            await JSONResponse({"detail": TOO_LARGE}, 413)(scope, receive, send)
            return
        if _asks_the_store(scope):
            await self._in_a_slot(scope, received, send)
        else:
            await self._app(scope, received, send)

    async def _in_a_slot(self, scope: Scope, receive: Receive, send: Send) -> None:
        slot = _Slot()
        try:
            with fail_after(MOST_WAIT_SECONDS):
                await slot.take()
        except TimeoutError:
            await JSONResponse({"detail": BUSY}, 503)(scope, receive, send)
            return

        async def answered(message: Message) -> None:
            # What is sent is in memory: who reads slowly keeps nobody waiting.
            slot.give_back()
            await send(message)

        try:
            await self._app(scope, receive, answered)
        finally:
            slot.give_back()


class _Slot:
    """One of MOST_AT_ONCE of this event loop."""

    def __init__(self) -> None:
        self._slots = _slots.get() or CapacityLimiter(MOST_AT_ONCE)
        self._is_taken = False
        _slots.set(self._slots)

    async def take(self) -> None:
        await self._slots.acquire_on_behalf_of(self)
        self._is_taken = True

    def give_back(self) -> None:
        """At once, and once."""
        if self._is_taken:
            self._is_taken = False
            self._slots.release_on_behalf_of(self)


def _asks_the_store(scope: Scope) -> bool:
    """Where the panel is mounted, the path has its prefix."""
    path = str(scope["path"])
    return "/api/" in path or path.endswith("/mcp")


async def _received(receive: Receive) -> Receive:
    """The request with its whole body. Raises TooLargeError, at the first byte too many."""
    body, message = bytearray(), await receive()
    while message["type"] == "http.request":
        body += message.get("body", b"")
        if len(body) > MOST_BODY_BYTES:
            raise TooLargeError
        if not message.get("more_body"):
            message = {"type": "http.request", "body": bytes(body), "more_body": False}
            break
        message = await receive()
    first: list[Message] = [message]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again
