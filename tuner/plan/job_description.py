"""What a job calls a query, of all that Spark describes one by."""

from __future__ import annotations

import re

from tuner.printable import printable

_MOST_CHARACTERS = 80

# Spark describes a query without a description by its call site (CallSite.shortForm). Where Python, R or a thread pool called,
# that is a frame of the JVM, the same for every query.
_FRAME_OF_THE_JVM = re.compile(
    r"\S+ at (?:(?:NativeMethodAccessorImpl|DirectMethodHandleAccessor|GeneratedMethodAccessor\d*|Method|FutureTask"
    r"|ThreadPoolExecutor|ForkJoinTask|CompletableFuture|Thread)\.java|<unknown>|null):-?\d+"
)
# What Spark Connect calls each request (ExecuteThreadRunner): the start of its message, with ids of the session in it.
_OF_REQUEST = "Spark Connect - "
# What Spark describes the queries of each batch of a stream by (StreamExecution.getBatchDescriptionString): ids, one of which is
# another in each run, behind the name that the job gave the stream, if any.
_OF_BATCH = re.compile(r"(?:^|\s+)id = [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s+runId = .*", re.DOTALL)
# What tools put before each statement of theirs: dbt, for example, its own name, version and target.
_TAGS = re.compile(r"(?:/\*.*?(?:\*/|\Z)\s*)+", re.DOTALL)


def job_description(description: str) -> str:
    """What the job called a query, or the stream that it is of, or the file and line of its statement; "" where none of these is
    told. One printable line of at most 80 characters, without the comments before a statement."""
    described = description.strip()
    tags = _TAGS.match(described)
    given = printable(_OF_BATCH.sub("", described[tags.end() if tags else 0 :]), _MOST_CHARACTERS)
    return "" if _FRAME_OF_THE_JVM.fullmatch(given) or given.startswith(_OF_REQUEST) else given
