"""The Spark properties that may leave the reader. Everything else is dropped where it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tuner.eventlog.airflow_tags import AIRFLOW_TAGS
from tuner.printable import printable
from tuner.spark.knobs import KNOBS
from tuner.spark.properties import APP_ID, APP_NAME, DEPLOY_MODE, EXTENSIONS, MASTER
from tuner.spark.run_tags import CHANGES, COHORT, DECISION, KEY, RUN

# A log's EnvironmentUpdate can hold secrets that Spark's own redaction missed, so this is a list of what is
# needed, not of what is dangerous.
_IDENTITY = (APP_ID, APP_NAME, MASTER, DEPLOY_MODE, CHANGES, COHORT, DECISION, KEY, RUN)
ALLOWED = AIRFLOW_TAGS.union(KNOBS, _IDENTITY, (EXTENSIONS,))


_LONGEST = 1000
# These may hold what a person wrote, or a URL.
_FREE_TEXT = frozenset({APP_NAME, MASTER})


def allowed(properties: Mapping[str, object]) -> dict[str, str]:
    """The allow-listed properties, each as one printable line; values that are neither text nor numbers are dropped."""
    given = {key: properties[key] for key in sorted(ALLOWED & properties.keys())}
    texts = {key: str(value)[:_LONGEST] for key, value in given.items() if isinstance(value, str | int | float)}
    return {key: redact(value) if key in _FREE_TEXT else printable(value) for key, value in texts.items()}


# Free text that a log carries (job descriptions, error messages) can quote SQL with literals or a URL with a password.
# Words are matched whole and not given back (possessive), or a long one would take quadratic time.
_KEYWORDS = (
    r"password|passwd|passphrase|passcode|(?<!by)(?<!com)(?<!tres)(?<!sur)pass(?![\w.-])|pwd|secret|token|credential|authorization|signature"
    r"|(?:access|account|api|private|shared|encryption|storage)[._-]?key"
)
_NAME = rf"(?=[\w.-]*(?:{_KEYWORDS}))[\w.-]++"
# As in a=b, a: b, a == b, a := b, a => b; and a -> b, as Scala prints a map, whose - a name without space has taken along.
_SEPARATOR = r"\s*+(?:[=:]{1,3}+>?+|->|(?<=-)>)\s*+"
# What stands before a secret in an HTTP header.
_SCHEME = r"(?:(?:bearer|basic|token|digest|negotiate|apikey)\s++)?"
# Up to white space, for a password may hold what separates values, unless the next name follows it; all within braces.
_PART = r"(?:[^\s,;&)]++|[,;&)]++(?![\w.-]++\s*+=(?![=\s]|$)|\s|$))"
_VALUE = rf"(?:\{{(?>(?:[^}}]|\}}\}}){{0,300}})\}}{_PART}*+|{_PART}++)"
# Whether a backslash escapes a quote depends on who reads the SQL: what follows one may all be inside a literal.
_STRING = r"'(?>(?:[^'\\]|\\[^']|'')*)(?:'|\\'.*|\\?\Z)"
_SECRETS = (
    # An apostrophe inside a word opens no literal; neither a prefix as in r'…' or x'…' nor a keyword hides one.
    (
        re.compile(
            rf"(?i)(?:(?<!\w)|(?<=\b[rxbun])|(?<=\blike)|(?<=\bthen)|(?<=\belse)|(?<=\bin)|(?<=\band)|(?<=\bor)"
            rf"|(?<=\bdate)|(?<=\bwhen)|(?<=\bby)|(?<=\bselect)){_STRING}"
        ),
        "'?'",
    ),
    (re.compile(r'"(?>(?:[^"\\]|\\[^"]|"")*)(?:"|\\".*|\\?\Z)'), '"?"'),
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*-----|\Z)"), "?"),
    # Where no @ follows in a word, what was looked at for it stays and is passed over: each later start would look there again.
    (
        re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,30}://)(?:(?:[^\s/]+|[^\s/@:]*:[^\s@]++)@|([^\s/@:]*:[^\s@]++))"),
        r"\1\2",
    ),
    (re.compile(r"(?i)\b(jdbc:oracle:\w+:)(?:[^\s@]++(?=@)|([^\s@]++))"), r"\1\2"),
    (re.compile(rf"(?i)(?<![\w.-])(--?+{_NAME})(?:{_SEPARATOR}|\s++){_VALUE}"), r"\1=?"),
    (re.compile(rf"(?i)(?<![\w.-])({_NAME}|sig){_SEPARATOR}{_SCHEME}{_VALUE}"), r"\1=?"),
    (re.compile(rf"(?i)\b(identified\s++by\s++){_VALUE}"), r"\1?"),
    (re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]+"), r"\1?"),
    # Base64 of a name and a password, rather than a word.
    (re.compile(r"\b((?i:basic)\s+)(?=\w[\w+/]*[A-Z0-9=])[\w+/]{6,}+={0,2}"), r"\1?"),
    # What its issuer marks as a secret: AWS, Databricks, GitHub, GitLab, Slack.
    (
        re.compile(
            r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[0-9A-Z]{16}\b|dapi[0-9a-f]{20,}+(?:-\d++)?"
            r"|(?:gh[oprsu]|github_pat)_\w{20,}+|(?:glpat|xox[abprs])-[\w-]{10,}+)"
        ),
        "?",
    ),
    # A JSON web token, sought from where its word begins.
    (re.compile(r"(?<![\w-])(?=[\w-]++\.[\w-])([\w-]*?)\beyJ[\w-]{10,}+\.[\w-]++(?:\.[\w-]*+)?"), r"\1?"),
)
_COMMENT = r"--[^\n]*+\n|/\*.*?\*/"
# Words that begin sentences, too, are of a statement where more of SQL stands behind them: "cache 17 files" is none.
_STATEMENT = re.compile(
    rf"(?is)((?>(?:{_COMMENT}|\s)*))(?>(?:{_COMMENT}|[\s(])*)(?:\w+\s*:\s*(?=begin\b)|explain\s+(?:\w+\s+)?)?"
    r"(?:(?:with|select|insert|merge|update|delete|create|replace|values)\b"
    r"|from\b(?=.*?(?:\|>|\b(?:select|insert)\b))|table\b(?=.*?\|>)"
    r"|begin\b(?=.*?;)|execute\s+immediate\b|declare\b(?=.*?(?:=|\bdefault\b))|set\s+[^\s\d][^=]*="
    r"|(?:alter|analyze|cache|drop|truncate)\s+(?:\w+\s+)?(?:table|view)\b|call\s+[\w.`]+\s*\()"
)
_ANY_STRING = re.compile(_STRING)
_NUMBER = re.compile(r"(?<![\w.])\d[\d.]*+(?!\w)")


def redact(text: str, limit: int = 200) -> str:
    """One printable line of at most `limit` characters, without string literals, URL credentials or `password=…` values.

    A SQL statement also loses its numbers, and the comments before it: tags that tools put there are those of many statements.
    """
    text = text.lstrip()
    if len(text) > limit * 20:
        # What is cut in its middle may no longer look like a secret: the last word goes.
        text = text[: limit * 20].rsplit(maxsplit=1)[0]
    statement = _STATEMENT.match(text)
    line = printable(" ".join(text[statement.end(1) if statement else 0 :].split()))
    if statement:
        line = _ANY_STRING.sub("'?'", line)
    for pattern, replacement in _SECRETS:
        line = pattern.sub(replacement, line)
    if statement:
        line = _NUMBER.sub("?", line)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def names_secret(text: str) -> bool:
    """Whether a text holds what `redact` takes out of one that is no statement: credentials in a URL, for example."""
    return any(pattern.sub(replacement, text) != text for pattern, replacement in _SECRETS)


_ERROR_NAMES = re.compile(
    r"\[[A-Z][A-Z0-9_.]{2,80}\]|\b(?>(?:[a-z]\w{0,40}+\.){0,12})[A-Z]\w{0,80}?(?:Exception|Error)\b"
)


def error_kind(text: str, limit: int = 200) -> str:
    """The classes and conditions that an error message names: the rest may quote data, in any form."""
    names = dict.fromkeys(_ERROR_NAMES.findall(text[: limit * 20]))
    return printable(", ".join(names), limit) or "unknown error"
