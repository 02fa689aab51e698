"""What the words of a command leave to the shell that runs them."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from tuner.spark.master import is_local
from tuner.spark.properties import DEPLOY_MODE, MASTER
from tuner.spark.submit_arguments import SubmitArguments

# By these a shell finds Spark's scripts, they their Spark (bin/find-spark-home), and that what holds besides its options.
_PATH, _HOME = "PATH", "SPARK_HOME"
_WHICH_DEFAULTS = frozenset({"DEPLOY_MODE", "SPARK_CONF_DIR"})
_OWN_HOME = re.compile(r"\$(?:SPARK_HOME|\{SPARK_HOME\})/")
# A path in a directory that a variable names: other words than one may stand in the place of a variable alone.
_IN_DIRECTORY = re.compile(r"\$(?:\w+|\{\w+\})/")


@dataclass(frozen=True, slots=True)
class LeftToShell:
    """Of one Spark program: which `spark` it is, what is in its `properties_file`, and its `deploy_mode`."""

    spark: bool = False
    properties_file: bool = False
    deploy_mode: bool = False


def left_to_shell(program: str, given: SubmitArguments, assigned: Set[str], *, has_cluster_mode: bool) -> LeftToShell:
    """Of a program and what it is given, in a command that assigns these variables."""
    file = given.properties_file
    if "/" in program:
        spark = _HOME in assigned or _is_path_open(_OWN_HOME.sub("/", program))
    else:
        spark = not assigned.isdisjoint((_PATH, _HOME))
    properties_file = file is not None and _is_path_open(f"{file}")
    may_be_set = spark or properties_file or not assigned.isdisjoint(_WHICH_DEFAULTS)
    return LeftToShell(spark, properties_file, has_cluster_mode and _is_mode_open(given, may_be_set=may_be_set))


def is_open(text: str) -> bool:
    """Whether a shell puts something else in the place of a part of it."""
    return "$" in text or "`" in text


def _is_path_open(path: str) -> bool:
    """Whether it is another one in the command, which has a working directory of its own."""
    return is_open(path) or not path.startswith("/")


def _is_mode_open(given: SubmitArguments, *, may_be_set: bool) -> bool:
    """`may_be_set`: by what is not seen from here, where the options do not set it."""
    if _may_hide_options(given):
        return True
    told = given.properties_but_file
    if DEPLOY_MODE in told:
        return is_open(told[DEPLOY_MODE])
    return may_be_set and not is_local(told.get(MASTER, ""))


def _may_hide_options(given: SubmitArguments) -> bool:
    """Whether there may be other options than those that were found."""
    if not given.application:  # What stands behind a $(…) is no part of its command here.
        return True
    first = given.application[0]
    may_be_words = first.startswith(("$", "`")) and not _IN_DIRECTORY.match(first)
    # An option that is not known here has others behind it.
    return may_be_words or first.startswith("-") or any(map(is_open, given.conf))
