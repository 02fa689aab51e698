"""Which Spark programs a shell command runs, as far as its words tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tuner.spark.left_to_shell import LeftToShell, left_to_shell
from tuner.spark.shell_user import shell_user
from tuner.spark.submit_arguments import SubmitArguments, parse
from tuner.spark.submit_opts import VARIABLE

# By the names of Spark's own scripts, and Cloudera's.
_SUBMIT = frozenset({"spark-submit", "spark3-submit"})
_SQL = frozenset({"spark-sql", "spark3-sql"})
_TUNER = "spark-tuner"
_SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})
# What runs the program that is named behind it.
_BEFORE = frozenset(
    {"!", "command", "do", "elif", "else", "env", "eval", "exec", "if", "then", "time", "until", "while", "{"}
    | {"conda", "dumb-init", "entrypoint.sh", "flock", "gosu", "ionice", "mamba", "nice", "nohup", "numactl", "poetry"}
    | {"setsid", "stdbuf", "sudo", "taskset", "timeout", "tini", "uv"}
)
_PYTHON = re.compile(r"python[\d.]*")
_LOOPS = frozenset({"for", "select", "until", "while"})
# Options of spark-submit with which it runs no application.
_NO_JOB = frozenset({"--help", "-h", "--kill", "--status", "--version"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=.*", re.DOTALL)
_MAY_BE_SPARK = re.compile("|".join(re.escape(name) for name in sorted(_SUBMIT | _SQL)))
_IN_WORD = (
    r"(?P<continued>\\\n)|\\(?P<escaped>.)|'(?P<single>[^']*)'|\"(?P<double>(?:\\.|[^\"\\])*)\""
    r"|(?P<end>[;&|()\n]+)|(?P<blank>[ \t\r]+)|(?P<plain>[^\s;&|()\\'\"]+)"
)
_PIECE_IN_WORD = re.compile(_IN_WORD, re.DOTALL)
_PIECE = re.compile(rf"(?P<comment>#[^\n]*)|{_IN_WORD}", re.DOTALL)
_ESCAPED_IN_DOUBLE = re.compile(r'\\([$`"\\\n])')


@dataclass(frozen=True, slots=True)
class _End:
    """What ends a command: operators, parentheses, lines."""

    text: str


@dataclass(frozen=True, slots=True)
class SparkProgram:
    """One Spark program of a command, and the words behind it."""

    program: str
    arguments: tuple[str, ...]

    @property
    def is_sql(self) -> bool:
        return _basename(self.program) in _SQL

    @property
    def given(self) -> SubmitArguments:
        """What it is given: the command line of spark-sql may have options behind other words."""
        return parse(_mixed(self.arguments) if self.is_sql else self.arguments)

    @property
    def options(self) -> tuple[str, ...]:
        """The words that its options are among."""
        return self.given.options

    @property
    def runs_job(self) -> bool:
        return _NO_JOB.isdisjoint(self.options)


@dataclass(frozen=True, slots=True)
class SparkPrograms:
    """Those that a command runs. `obstacle` says why what is added to its environment would not reach one of them alone, where
    that is so; `left` is what of that one its words do not tell, `user` as whom it works (`shell_user`)."""

    found: tuple[SparkProgram, ...] = ()
    obstacle: str = ""
    left: LeftToShell = field(default_factory=LeftToShell)
    user: str = ""


def may_run_spark(text: str) -> bool:
    """Whether the text of a command names a Spark program at all."""
    return bool(_MAY_BE_SPARK.search(text))


def spark_programs(command: str) -> SparkPrograms:
    """The Spark programs that a shell runs for the text."""
    if not may_run_spark(command) and _TUNER not in command:
        return SparkPrograms()
    try:
        return _of_commands(list(_simple_commands(command)))
    except ValueError:  # A quote that is not closed, such as in a here-document.
        return SparkPrograms(obstacle="its words cannot be told apart (is there a here-document or an open quote?)")


def spark_program(words: Sequence[str]) -> SparkPrograms:
    """The same of a program that is started without a shell, with these arguments."""
    return _of_commands([list(words)])


def python_of(command: str) -> str:
    """The Python that a command runs by its path; "" for none."""
    try:
        commands = [part for words in _simple_commands(command) for part in _commands_in(words)]
    except ValueError:
        return ""
    found = (word for words in commands for word in words if "/" in word and _PYTHON.fullmatch(_basename(word)))
    return next(found, "")


def _of_commands(commands: Sequence[list[str]]) -> SparkPrograms:
    whole = [part for words in commands for part in _commands_in(words)]
    found = tuple(program for words in whole if (program := _program(words)) and program.runs_job)
    if not found and not any(map(_is_steered_already, whole)):
        return SparkPrograms()
    return SparkPrograms(found, _obstacle(whole, found), _left(whole, found), shell_user(whole))


def _left(commands: Sequence[Sequence[str]], found: Sequence[SparkProgram]) -> LeftToShell:
    if len(found) != 1:
        return LeftToShell()
    (program,) = found
    assigned = {match[1] for words in commands for word in words if (match := _ASSIGNMENT.fullmatch(word))}
    return left_to_shell(program.program, program.given, assigned, has_cluster_mode=not program.is_sql)


def _obstacle(commands: Sequence[Sequence[str]], found: Sequence[SparkProgram]) -> str:
    if any(map(_is_steered_already, commands)):
        return "`spark-tuner submit` in it steers its job itself"
    if len(found) > 1:
        return (
            f"it runs {len(found)} Spark programs, and their runs could not be told apart: give each a task of its own"
        )
    if any(map(_may_repeat, commands)):
        return "it may run its Spark program more than once (a loop, a function), and runs could not be told apart"
    if any(_sets_options(word) for command in commands for word in command):
        return f"it sets {VARIABLE} itself, in place of what the tuner would set"
    if any(map(_hides_environment, commands)):
        return "sudo and `env -i` hand no environment on"
    return ""


def _may_repeat(words: Sequence[str]) -> bool:
    return words[-1:] == ["()"] or _place(words, _LOOPS) is not None


def _sets_options(word: str) -> bool:
    """Whether a word puts other options in the place of those that are there."""
    name, _, value = word.partition("=")
    return name == VARIABLE and re.search(rf"\$\{{?{VARIABLE}\b", value) is None


def _simple_commands(text: str) -> Iterator[list[str]]:
    """Words up to what ends a command, `()` behind the name of a function. Raises ValueError where a quote is not closed."""
    words: list[str] = []
    for word in _words(text):
        if isinstance(word, _End):
            yield [*words, "()"] if word.text.startswith("()") else words
            words = []
        else:
            words.append(word)
    yield words


def _words(text: str) -> Iterator[str | _End]:
    word: list[str] | None = None
    position = 0
    while position < len(text):
        match = (_PIECE if word is None else _PIECE_IN_WORD).match(text, position)
        if match is None:
            raise ValueError(f"no end of what is quoted at character {position + 1}")
        position = match.end()
        kind = match.lastgroup
        if kind in ("end", "blank", "comment"):
            if word is not None:
                yield "".join(word)
            word = None
            if kind == "end":
                yield _End(match["end"])
        elif kind != "continued":
            word = [*(word or ()), _text(match)]
    if word is not None:
        yield "".join(word)


def _text(match: re.Match[str]) -> str:
    if match.lastgroup == "double":
        return _ESCAPED_IN_DOUBLE.sub(lambda found: found[1].removeprefix("\n"), match["double"])
    return match[match.lastgroup or 0]


def _commands_in(words: list[str]) -> Iterator[list[str]]:
    """The command, or those in the text that it has a shell run, behind what runs the shell."""
    at = _place(words, _SHELLS)
    pairs = zip(words[at:], words[at + 1 :], strict=False) if at is not None else ()
    text = next((text for option, text in pairs if _runs_text(option)), None)
    if text is None:
        yield words
        return
    for command in _simple_commands(text):
        yield from _commands_in([*words[:at], *command])


def _runs_text(option: str) -> bool:
    """Whether it is the -c of a shell, alone or among others (-lc)."""
    return bool(re.fullmatch(r"-[a-z]*c", option))


def _program(words: Sequence[str]) -> SparkProgram | None:
    at = _place(words, _SUBMIT | _SQL)
    if at is None or _only_asks(words[:at]):
        return None
    return SparkProgram(words[at], tuple(words[at + 1 :]))


def _only_asks(before: Sequence[str]) -> bool:
    """Whether it asks where a program is (`command -v`)."""
    return "command" in before and not {"-v", "-V"}.isdisjoint(before)


def _place(words: Sequence[str], names: frozenset[str]) -> int | None:
    """Where the program of one of these names stands that a command runs: first, or behind what runs others."""
    for place, word in enumerate(words):
        if _basename(word) in names:
            return place
        if _ASSIGNMENT.fullmatch(word) or _basename(word) in _BEFORE:
            continue
        if not any(_basename(earlier) in _BEFORE for earlier in words[:place]):
            return None
    return None


def _is_steered_already(words: Sequence[str]) -> bool:
    pairs = pairwise(words)
    return any(_basename(program) == _TUNER and argument == "submit" for program, argument in pairs)


def _hides_environment(words: Sequence[str]) -> bool:
    before = words[: _place(words, _SUBMIT | _SQL) or 0]
    names = [_basename(word) for word in before]
    return "sudo" in names or ("env" in names and not {"-", "-i", "--ignore-environment"}.isdisjoint(before))


def _mixed(arguments: Sequence[str]) -> tuple[str, ...]:
    options: list[str] = []
    while arguments:
        found = parse(arguments)
        options.extend(found.options)
        arguments = found.application[1:]
    return tuple(options)


def _basename(word: str) -> str:
    return word.rpartition("/")[2]
