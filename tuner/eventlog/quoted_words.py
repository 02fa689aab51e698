"""What an error message quotes of a job's data and code, which tells nothing of why it failed."""

from __future__ import annotations

import re

# Errors whose messages are not of the job's: Spark's and the JVM's own, what passes others' words on, and those of native engines
# for memory (Gluten's and Arrow's; Comet's has one name for all errors, and DataFusion's TrackConsumersPool passes them on).
_TELLING = (
    r"(?:[\w$]+\.)*(?:SparkException|(?:\w+\$)?OutOfMemoryException"
    r"|CometNativeException(?=: (?:[A-Z]\w* error: )*Resources exhausted: )|Error(?=: (?:Task \d{1,19} f|F)ailed to acquire \d)"
    r"|(?:Spark)?(?:OutOfMemoryError|(?:UnsupportedOperation|Execution|IO|FetchFailed|TaskCompletionListener)Exception))\b"
)
# Of a message that is another error's name, as a wrapper has it, that one tells; TaskResultGetter's of the driver; and Gluten's,
# which passes an error of Java's on.
_WRAPPED = (
    r"(?>(?:[\w$]++\.)*)\w*(?:Exception|Error)(?=:|\n|\Z)|unread block data"
    r"|Error during calling Java code from native code: "
)
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
_ENDS = r"\n[ \t]*+at |\n(?:Caused by|Driver stacktrace): |\n\nDriver stacktrace:|\n: |\n\d\d/\d\d/\d\d "
# BasePythonRunner.handlePythonException (with PYTHON_EXCEPTION in 4.3.0); the stack may be hidden
# (spark.sql.execution.pyspark.udf.hideTraceback.enabled). What a worker failed for is the last error of its chain, on the line
# after its stack; a message of several lines may quote any.
_OF_PYTHON = (
    r"(?:(?:org\.apache\.spark\.api\.python\.)?PythonException: (?:\[PYTHON_EXCEPTION\] )?|\[PYTHON_EXCEPTION\] )"
    r"(?:An exception was thrown from the Python worker: )?"
)
_STACK = r"Traceback \(most recent call last\):\n(?>(?: (?![ \t]*+at )[^\n]*+\n)+)"
_BEFORE_IT = (
    rf"(?>(?:{_STACK}[^ \n][^\n]*+\n\n(?:During handling of the above exception, another exception occurred"
    r"|The above exception was the direct cause of the following exception):\n\n)*)"
)
_NO_MEMORY = r"(?:numpy\._?core\._exceptions\._?(?:Array)?|pyarrow\.lib\.Arrow)?MemoryError(?:: [^\n]*+)?"
_PYTHON_MEMORY = (
    rf"{_OF_PYTHON}(?:{_BEFORE_IT}{_STACK})?{_NO_MEMORY}\n?(?: SQLSTATE: \w{{5}})?(?=\s*+\Z|\n?(?:{_ENDS}))"
)
PYTHON_MEMORY = "PythonException: MemoryError"
_QUOTING = re.compile(
    rf"(?P<python>{_PYTHON_MEMORY})"
    rf"|(?P<named>{_ERROR}|{_CONDITION}|PythonException: |MatchError: |== SQL)(?>(?:(?!{_ENDS})[\s\S])*)"
    # A line of the program, in a stack of Python's.
    r"|(?P<line>\n +File \"[^\"\n]{1,300}\", line \d{1,9}[^\n]{0,300})\n +[^\n]*+"
)


def without_quotes(text: str) -> str:
    """A message without what it quotes: rows and texts of a job's may hold any words of Spark's. Of a Python worker that got no
    memory it says PYTHON_MEMORY."""
    return _QUOTING.sub(_kept, text)


def _kept(found: re.Match[str]) -> str:
    return PYTHON_MEMORY if found["python"] else found["named"] or found["line"]
