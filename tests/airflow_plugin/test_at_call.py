"""Methods intercepted for a while."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from airflow_plugin.at_call import at_call


def named_only(method: Callable[..., Any]) -> Callable[..., Any]:
    """As some hooks have it: the signature says that arguments may stand without names, and they may not."""

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError("give arguments by their names")
        return method(self, **kwargs)

    return call


def takes_more(method: Callable[..., Any]) -> Callable[..., Any]:
    """As who wraps a hook's method may have it: more is taken than the signature tells of."""

    @wraps(method)
    def call(self: Any, *args: Any, traced: bool = False, **kwargs: Any) -> Any:
        return method(self, *args, **kwargs)

    return call


class Hook:
    def send(self, job: str, region: str = "here", **options: Any) -> tuple[Any, ...]:
        return job, region, options

    @takes_more
    def send_traced(self, job: str) -> str:
        return job

    @named_only
    def send_named(self, job: str, region: str = "here") -> tuple[Any, ...]:
        return self, job, region


def other_job(arguments: Any, call: Callable[[Any], Any]) -> Any:
    return call({**arguments, "job": "other"})


def test_changed_arguments_are_handed_on_in_the_way_in_which_they_were_given() -> None:
    hook = Hook()
    with at_call(hook, "send", other_job):
        assert hook.send("own", region="there", tag=1) == ("other", "there", {"tag": 1})
        assert hook.send("own", "there") == ("other", "there", {})
    with at_call(hook, "send_named", other_job):
        assert hook.send_named(job="own") == (hook, "other", "here")
        with pytest.raises(TypeError, match="names"):
            hook.send_named("own")


def test_a_method_of_a_class_is_intercepted_for_objects_that_are_made_meanwhile() -> None:
    own, seen = vars(Hook)["send_named"], []

    def see(arguments: Any, call: Callable[[Any], Any]) -> Any:
        seen.append(arguments)
        return other_job(arguments, call)

    with at_call(Hook, "send_named", see):
        hook = Hook()
        assert hook.send_named(job="own", region="there") == (hook, "other", "there")
    assert seen == [{"self": hook, "job": "own", "region": "there"}]
    assert vars(Hook)["send_named"] is own


def test_a_call_that_its_signature_does_not_tell_of_is_the_methods_own() -> None:
    hook = Hook()
    with at_call(hook, "send_traced", other_job):
        assert (hook.send_traced("own", traced=True), hook.send_traced("own")) == ("own", "other")  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="job"):
            hook.send_traced()  # type: ignore[call-arg]


def test_what_was_inherited_is_inherited_again() -> None:
    class Derived(Hook): ...

    with at_call(Derived, "send", other_job):
        assert Hook().send("own") == ("own", "here", {}) and Derived().send("own")[0] == "other"
    assert "send" not in vars(Derived) and Derived().send("own")[0] == "own"
