"""A method of an object, or of a class, intercepted for a while."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Arguments = Mapping[str, Any]


@contextmanager
def at_call(owner: Any, name: str, around: Callable[[Arguments, Callable[[Arguments], Any]], Any]) -> Iterator[None]:
    """While it lasts, calls of a method of `owner` are calls of `around(arguments, method)`: its arguments by their names, and
    what takes such and calls it. Of a class it is the method of all its objects, `self` among the arguments."""
    method = getattr(owner, name)
    signature = inspect.signature(method)

    def intercepted(*args: Any, **kwargs: Any) -> Any:
        try:
            given = _by_name(signature.bind(*args, **kwargs))
        except TypeError:  # The method may take what its signature does not tell of, or refuse it in its own words.
            return method(*args, **kwargs)

        def call(arguments: Arguments) -> Any:
            if arguments is given:
                return method(*args, **kwargs)
            # Some take nothing but keywords, whatever their signature says: what was given by name stays so.
            names = _positional(signature)[: len(args)]
            positional = [arguments[name] for name in names]
            return method(*positional, *args[len(names) :], **{n: v for n, v in arguments.items() if n not in names})

        return around(given, call)

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


def _positional(signature: inspect.Signature) -> list[str]:
    """The parameters that arguments without names go to."""
    kinds = (_KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD)
    return [name for name, parameter in signature.parameters.items() if parameter.kind in kinds]
