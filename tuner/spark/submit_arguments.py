"""A command line of spark-submit, taken apart the way spark-submit does (SparkSubmitOptionParser)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tuner.spark import knobs
from tuner.spark import properties_file as spark_properties
from tuner.spark.properties import DEPLOY_MODE, DRIVER_CLASS_PATH, FILES, JARS, MASTER, PACKAGES, PRINCIPALS, REMOTE

# What a flag with a value sets (SparkSubmitArguments): it beats --conf, which beats the properties file.
_PROPERTIES = {
    "--archives": "spark.archives",
    "--deploy-mode": DEPLOY_MODE,
    "--driver-class-path": DRIVER_CLASS_PATH,
    "--driver-cores": knobs.DRIVER_CORES.property,
    "--driver-java-options": "spark.driver.extraJavaOptions",
    "--driver-library-path": "spark.driver.extraLibraryPath",
    "--driver-memory": knobs.DRIVER_MEMORY.property,
    "--executor-cores": knobs.EXECUTOR_CORES.property,
    "--executor-memory": knobs.EXECUTOR_MEMORY.property,
    "--files": FILES,
    "--jars": JARS,
    "--master": MASTER,
    "--num-executors": knobs.EXECUTOR_INSTANCES.property,
    "--packages": PACKAGES,
    "--principal": PRINCIPALS[0],
    "--remote": REMOTE,
    "--total-executor-cores": knobs.CORES_MAX.property,
}
_PROPERTIES_FILE = "--properties-file"
_WITH_VALUE = frozenset(_PROPERTIES) | {
    *("--class", "--conf", "-c", "--exclude-packages", "--keytab", "--kill", "--name"),
    *(_PROPERTIES_FILE, "--proxy-user", "--py-files", "--queue", "--repositories", "--status"),
}
_SWITCHES = frozenset({"--help", "-h", "--load-spark-defaults", "--supervise", "--verbose", "-v", "--version"})
_EQUALS = re.compile(r"(--[^=]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SubmitArguments:
    """`options` as they were given, before the application; `application` it and its own arguments, () without one.

    `flags` are the last values of flags, `conf` those of --conf.
    """

    options: tuple[str, ...]
    application: tuple[str, ...]
    flags: Mapping[str, str]
    conf: Mapping[str, str]

    @property
    def properties(self) -> dict[str, str]:
        """What the user set: flags over --conf over the properties file, as spark-submit has it."""
        file = self.properties_file
        return {**(spark_properties.read(file) if file else {}), **self.properties_but_file}

    @property
    def proxy_user(self) -> str:
        """The user whom Spark impersonates; "" for who submits."""
        return self.flags.get("--proxy-user", "")

    @property
    def properties_file(self) -> Path | None:
        file = self.flags.get(_PROPERTIES_FILE)
        return Path(file) if file else None

    @property
    def properties_but_file(self) -> dict[str, str]:
        """The same where the properties file is one of another machine."""
        flags = {_PROPERTIES[flag]: value for flag, value in self.flags.items() if flag in _PROPERTIES}
        return {**self.conf, **flags}

    @property
    def with_defaults(self) -> bool:
        """Whether spark-submit reads spark-defaults.conf, too (--load-spark-defaults: SPARK-48392)."""
        return _PROPERTIES_FILE not in self.flags or "--load-spark-defaults" in self.options


def with_properties_file(given: SubmitArguments, file: Path) -> SubmitArguments:
    """The same with another properties file: the last flag of a name counts."""
    flags = {**given.flags, _PROPERTIES_FILE: str(file)}
    return replace(given, options=(*given.options, _PROPERTIES_FILE, str(file)), flags=flags)


def parse(arguments: Sequence[str]) -> SubmitArguments:
    """The options of a command line, up to what is none: the application, or what spark-submit will complain of."""
    flags: dict[str, str] = {}
    conf: dict[str, str] = {}
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        equals = _EQUALS.fullmatch(argument)
        name = equals[1] if equals else argument
        if name in _WITH_VALUE and (equals or position + 1 < len(arguments)):
            value = equals[2] if equals else arguments[position + 1]
            if name in ("--conf", "-c"):
                key, _, setting = value.partition("=")
                conf[key] = setting
            else:
                flags[name] = value
            position += 1 if equals else 2
        elif argument in _SWITCHES:
            position += 1
        else:
            break
    return SubmitArguments(tuple(arguments[:position]), tuple(arguments[position:]), flags, conf)


def conf_arguments(conf: Mapping[str, str]) -> list[str]:
    """--conf for each property."""
    return [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]


def as_arguments(properties: Mapping[str, str]) -> list[str]:
    """Properties as options that come last and so win: jars and files by their flags, which beat --conf; sizes in both ways, for
    not every master heeds the flag (SparkSubmit's OptionAssigners)."""
    lists = {_PROPERTIES[flag]: flag for flag in ("--jars", "--files")}
    flags = {name: flag for flag, name in _PROPERTIES.items() if name not in lists}
    found: list[str] = []
    for name, value in properties.items():
        found += (lists[name], value) if name in lists else ("--conf", f"{name}={value}")
        found += (flags[name], value) if name in flags else ()
    return found
