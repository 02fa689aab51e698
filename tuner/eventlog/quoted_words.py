"""What an error message quotes of a job's data and code, which tells nothing of why it failed."""

from __future__ import annotations

import re

# Errors whose messages are not of the job's: Spark's and the JVM's own, and what passes others' words on.
_TELLING = (
    r"(?:[\w$]+\.)*(?:SparkException"
    r"|(?:Spark)?(?:OutOfMemoryError|(?:UnsupportedOperation|Execution|IO|FetchFailed|TaskCompletionListener)Exception))\b"
)
# Of a message that is another error's name, as a wrapper has it, that one tells; and TaskResultGetter's of the driver.
_WRAPPED = r"(?>(?:[\w$]++\.)*)\w*(?:Exception|Error)(?=:|\n|\Z)|unread block data"
_ERROR = (
    rf"(?<![\w.$])(?!{_TELLING})(?:[\w.$]++(?:(?<=Exception)|(?<=Error))|(?!org\.apache\.)(?>(?:[a-z]\w*+\.)+)[A-Z][\w$]*+)"
    rf":\s(?!{_WRAPPED})"
)
# error-conditions.json; but those that tell of memory, of what ended a job, or pass others' words on.
_CONDITION = (
    r"\[(?!UNABLE_TO_ACQUIRE_MEMORY|SPARK_JOB_CANCELLED|STREAM_FAILED|FOREACH_)[A-Z][A-Z0-9]*_[A-Z0-9_]++"
    r"(?>(?:\.[A-Z0-9_]++)*)\] "
)
# A message ends where a stack, a cause, or another line of a log begins.
_ENDS = r"\n\s*+at |\n(?:Caused by|Driver stacktrace): |\n\nDriver stacktrace:|\n: |\n\d\d/\d\d/\d\d "
_QUOTING = re.compile(
    rf"(?P<named>{_ERROR}|{_CONDITION}|PythonException: |MatchError: |== SQL)(?>(?:(?!{_ENDS})[\s\S])*)"
    # A line of the program, in a stack of Python's.
    r"|(?P<line>\n +File \"[^\"\n]{1,300}\", line \d{1,9}[^\n]{0,300})\n +[^\n]*+"
)


def without_quotes(text: str) -> str:
    """A message without what it quotes: rows and texts of a job's may hold any words of Spark's."""
    return _QUOTING.sub(lambda found: found["named"] or found["line"], text)
