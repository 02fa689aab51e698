"""Whether a service refused a request for what is in it."""

from __future__ import annotations

from collections.abc import Iterator

# Bad Request, Payload Too Large, Unprocessable Content.
REFUSED = frozenset({400, 413, 422})


def is_http_refusal(error: BaseException) -> bool:
    """Whether a request was answered so, or never left: its values were no such as the client sends."""
    return any(_status(one) in REFUSED or isinstance(one, (TypeError, ValueError)) for one in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those that it was raised for."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int | None:
    """The HTTP status that an error of requests, or of a client that is made of it, was answered with."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None
