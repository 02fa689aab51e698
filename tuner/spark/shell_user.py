"""As whom the Spark of a command works, where the command says so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from tuner.spark.left_to_shell import is_open
from tuner.spark.properties import HADOOP_USER

# Somebody whom only the shell, or a keytab, knows. No user has such a name.
UNTOLD_USER = "a user whom only its command knows"
_KINIT = "kinit"
# Options of kinit with no value.
_SWITCHES = re.compile(r"-[AaCEFfkPpRVv]+")
_REDIRECTION = re.compile(r"\d*[<>]")


def shell_user(commands: Sequence[Sequence[str]]) -> str:
    """The user: by HADOOP_USER_NAME, or by a ticket that is asked for. UNTOLD_USER where that is not told, "" where nothing is
    said."""
    named = {user for words in commands for user in (*_assigned(words), *_ticket_holder(words))}
    if not named:
        return ""
    user = named.pop()
    return UNTOLD_USER if named or not user or is_open(user) else user


def _assigned(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name == HADOOP_USER:
            yield value


def _ticket_holder(words: Sequence[str]) -> Iterator[str]:
    """The first part of the principal, where that is the last word and no option's value."""
    names = [word.rpartition("/")[2] for word in words]
    if _KINIT not in names:
        return
    behind = words[names.index(_KINIT) + 1 :]
    *options, principal = takewhile(lambda word: not _REDIRECTION.match(word), ["", *behind])
    takes_value = bool(options) and options[-1].startswith("-") and not _SWITCHES.fullmatch(options[-1])
    yield "" if takes_value or principal.startswith("-") else re.split("[/@]", principal)[0]
