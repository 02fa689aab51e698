"""Whether a service refused a request for what is in it."""

from __future__ import annotations

from collections.abc import Iterator

from tenacity import RetryError

# Bad Request, Payload Too Large, Unprocessable Content.
REFUSED = frozenset({400, 413, 422})


def is_http_refusal(error: BaseException) -> bool:
    """Whether a request was answered so, or never left: its values were no such as the client sends.

    One that its client has sent several times is not: Databricks answers 400 for a lock that it could not get, too. Nor is one
    whose answer cannot be read (requests' errors are OSErrors, that of JSON too): the job may be there.
    """
    chain = list(_chain(error))
    if any(isinstance(one, RetryError) for one in chain):
        return False
    if any(isinstance(one, OSError) for one in chain):
        return any(_status(one) in REFUSED for one in chain)
    return any(isinstance(one, (TypeError, ValueError)) for one in chain)


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
