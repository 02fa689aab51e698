"""A method of an object intercepted for a while."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Arguments = Mapping[str, Any]


@contextmanager
def at_call(owner: Any, name: str, around: Callable[[Arguments, Callable[[Arguments], Any]], Any]) -> Iterator[None]:
    """While it lasts, calls of a method of `owner` are calls of `around(arguments, method)`: its arguments by their names, and
    what takes such and calls it."""
    method = getattr(owner, name)
    signature = inspect.signature(method)

    def intercepted(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        given = _by_name(bound)
        return around(
            given, lambda arguments: method(*args, **kwargs) if arguments is given else _call(method, bound, arguments)
        )

    own = vars(owner).get(name, _NONE)
    setattr(owner, name, intercepted)
    try:
        yield
    finally:
        if own is _NONE:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


_NONE = object()
_KINDS = inspect.Parameter


def _by_name(bound: inspect.BoundArguments) -> dict[str, Any]:
    """Arguments by their names: those of `**kwargs`, too."""
    kinds = {name: parameter.kind for name, parameter in bound.signature.parameters.items()}
    named = {n: v for n, v in bound.arguments.items() if kinds[n] not in (_KINDS.VAR_KEYWORD, _KINDS.VAR_POSITIONAL)}
    others = (v for n, v in bound.arguments.items() if kinds[n] is _KINDS.VAR_KEYWORD)
    return named | next(others, {})


def _call(method: Callable[..., Any], bound: inspect.BoundArguments, arguments: Arguments) -> Any:
    """The call with these arguments, in the way in which it was made."""
    parameters = bound.signature.parameters
    for name, parameter in parameters.items():
        if parameter.kind is _KINDS.VAR_KEYWORD:
            named = {n for n, p in parameters.items() if p.kind not in (_KINDS.VAR_KEYWORD, _KINDS.VAR_POSITIONAL)}
            bound.arguments[name] = {n: v for n, v in arguments.items() if n not in named}
        elif parameter.kind is not _KINDS.VAR_POSITIONAL and name in arguments:
            bound.arguments[name] = arguments[name]
    return method(*bound.args, **bound.kwargs)
