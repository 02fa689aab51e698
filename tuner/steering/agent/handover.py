"""What is added to a submit so that the agent runs in it and knows its directives. Nothing of the user's is lost."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tuner.errors import TunerError
from tuner.model.agent_message import DIRECTIVES, DIRECTIVES_FILE, EXTENSIONS_CLASS
from tuner.own_files import data_directory, make_directory
from tuner.spark.properties import EXTENSIONS, FILES, JARS
from tuner.steering.agent.build_ahead import log_of
from tuner.steering.agent.jar import jar_of
from tuner.steering.agent.route import Route, why_not_repeated
from tuner.steering.agent.submission import MOST_CARRIED_CHARACTERS, Submission
from tuner.steering.submit_conf import is_redacted
from tuner.whole_file import put_whole

_REDACTION = "spark.redaction.regex"
_KEPT_SECONDS = 30 * 24 * 3600


class HandoverError(TunerError):
    """The directives cannot reach the driver."""


@dataclass(frozen=True, slots=True)
class Handover:
    """`conf` are properties of the tuner's own. `merged` hold the user's own values and the agent's: they replace the user's.

    spark.jars and spark.files among them are to be given as --jars and --files, which beat properties in spark-submit.
    """

    conf: Mapping[str, str] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)


def hand_over(route: Route, directives: str, environ: Mapping[str, str] = os.environ) -> Handover:
    """What to add to the submit so that the agent follows the directives. Raises HandoverError, also while its jar is not
    built yet.

    Extensions are named where all of the user's are seen: elsewhere a service's own would be replaced, and the jar names the
    agent's itself (META-INF/services, SPARK-35380); but where no run would load it so, beside those that `route.beside` tells."""
    # What comes by a command's environment takes the place of nothing: where the user has extensions of his own, Spark finds the
    # agent on the class path (META-INF/services).
    user = {} if route.submission.by_environment else route.submission.conf
    conf, files = _directives(route, directives, environ)
    merged = {}
    if EXTENSIONS in user or route.submission.sees_defaults:
        merged[EXTENSIONS] = _joined(user.get(EXTENSIONS), EXTENSIONS_CLASS)
    elif route.beside is not None:
        merged[EXTENSIONS] = _joined(route.beside, EXTENSIONS_CLASS)
    if route.submission.brings_files:
        merged[JARS] = _joined(user.get(JARS), _jar(route, environ))
    if files:
        if why := why_not_repeated(FILES, user):
            raise HandoverError(why)
        merged[FILES] = _joined(user.get(FILES), files)
    for name, most in route.submission.most_in_lists.items():
        if len(merged.get(name, "")) > most:
            raise HandoverError(f"{name} would have {len(merged[name])} characters, and takes {most} at most")
    return Handover(conf, merged)


def _jar(route: Route, environ: Mapping[str, str]) -> str:
    submission = route.submission
    if submission.agent_jar:
        return submission.agent_jar
    assert submission.spark is not None  # or there is no route
    jar = jar_of(submission.spark, environ)
    if not jar.is_file():
        raise HandoverError(
            f"the agent's jar for Spark {submission.spark.version} is not built yet: that goes on beside this run, for the "
            f"next one that has {jar.parent}; where each has a disk of its own (a pod, a container), build it into the image "
            f"(`spark-tuner agent-jar -o FILE`) and set agent_jar to FILE; if it does not get there, {log_of(jar)} says why"
        )
    return str(jar)


def _directives(route: Route, text: str, environ: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """The property that holds the directives or names their file, and the file where it is to be shipped."""
    submission = route.submission
    why = _too_much_for_conf(text, submission)
    if not why and (len(text) <= MOST_CARRIED_CHARACTERS or not submission.uploads):
        return {DIRECTIVES: text}, ""
    if not submission.uploads:
        if route.share is not None and submission.brings_files and not submission.by_environment:
            url = route.share(text)
            return {DIRECTIVES_FILE: url.rpartition("/")[2]}, url
        raise HandoverError(
            f"the directives {why}, and no file of this machine reaches a driver on {submission.cluster} in cluster mode"
        )
    try:
        file = _write(text, data_directory(environ) / "agent" / "directives", environ)
    except HandoverError:
        if why:
            raise
        return {DIRECTIVES: text}, ""
    if submission.in_cluster_mode:
        return {DIRECTIVES_FILE: file.name}, str(file)
    return {DIRECTIVES_FILE: str(file)}, ""


def _too_much_for_conf(text: str, submission: Submission) -> str:
    """Why the text cannot be a property; "" if it can."""
    if len(text) > submission.most_characters:
        return f"are {len(text)} characters, and a property takes {submission.most_characters} at most"
    redacted = is_redacted(text, submission.conf.get(_REDACTION))
    return "name something that Spark blots out as a secret" if redacted else ""


def _write(text: str, directory: Path, environ: Mapping[str, str]) -> Path:
    """A file of the text, named by its digest: written whole or not at all. Those of long ago are removed."""
    file = directory / f"spark-tuner-directives-{sha256(text.encode()).hexdigest()[:16]}.json"
    try:
        make_directory(directory, environ)
        _remove_old(directory)
        put_whole(file, text.encode())
    except OSError as error:
        raise HandoverError(
            f"the directives cannot be written to {file}: {error.strerror}; make that place writable"
        ) from error
    return file


def _remove_old(directory: Path) -> None:
    for file in directory.iterdir():
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > _KEPT_SECONDS:
                file.unlink()


def _joined(own: str | None, ours: str) -> str:
    """A list of both, each once: the user's first. Without the blanks that a property may have and a flag may not."""
    entries = [entry for part in (own or "").split(",") if (entry := part.strip())]
    return ",".join(dict.fromkeys([*entries, ours]))
