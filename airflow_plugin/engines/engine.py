"""What the tuner asks of an engine: how one kind of operator hands its Spark jobs over, and where their properties are put.

An engine is asked for each request that an operator makes what only a service tells of it (`look_up`), which Spark jobs are in
it (`read`), and what it is with something added to them (`changed`). The last two are pure functions of the request and of what
was looked up. A request is a dict: arguments of a call by their names, or fields of the operator. What the author set is never
changed; requests are copied.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tuner.spark.properties import EXTENSIONS, FILES, JARS
from tuner.steering.agent.submission import Submission

Request = Mapping[str, Any]
# What asks a service. It is called aside, once, and nobody waits for it beyond the time that the task has: it may still be under
# way as the operator goes on. Airflow answers the task's own thread alone, so connections are asked for before it is made.
Ask = Callable[[], Mapping[str, Any]]
# Of the author's, to which the agent's entries are added.
_LISTS = (JARS, FILES, EXTENSIONS)


class LeftAloneError(Exception):
    """Why a request is submitted as its author wrote it, though there are Spark jobs in it: a line of the task's log."""


@dataclass(frozen=True, slots=True)
class SparkJob:
    """One Spark job of a request: `conf` is what its author set for it, as Spark reads it, `defaults` what holds besides.

    `name` tells it from the other jobs of its task, where that has several; `submission` is how it is submitted, where a request
    tells. `sets_sizes`: its memory may be another than its author's, where the engine's may. `runs_as` is the user whom it
    impersonates or says it is, `runtime` what `runtime_of` makes of it. `unlimited` names properties that stand, with what is
    added to them, where the engine's limits do not hold.
    """

    conf: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    submission: Submission | None = None
    sets_sizes: bool = True
    runs_as: str = ""
    runtime: str = ""
    unlimited: frozenset[str] = frozenset()


def runtime_of(*told: Any) -> str:
    """What fields of a request, any of which may be missing, say that its job is run by: a release, types of machines. Where that
    changes, Spark or the cluster may be another."""
    return ", ".join(str(field) for field in told if field)


@dataclass(frozen=True, slots=True)
class Additions:
    """What is added to a Spark job: `conf` are properties that its author does not set, `merged` is what stands in place of his:
    lists of his with the tuner's entries at their ends, and sizes."""

    conf: Mapping[str, str] = field(default_factory=dict)
    merged: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.conf or self.merged)

    @property
    def properties(self) -> dict[str, str]:
        """All of it, as properties."""
        return {**self.conf, **self.merged}

    @property
    def jars(self) -> list[str]:
        """The author's jars and the tuner's; none where nothing is added to them."""
        return self.merged[JARS].split(",") if JARS in self.merged else []


def _always(arguments: Request) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Call:
    """A method by which an operator submits: `name` of `owner`, the class of the object that it submits by. That object itself is
    not looked for: operators make it when they submit, of what their own execute() may have set by then. (It may be `owner` where
    it is made of nothing, as Bash's is.)

    `is_meant` tells a call of the operator's from those of others; `part` is the argument that is the request, where not all are.
    """

    owner: Any
    name: str
    is_meant: Callable[[Request], bool] = _always
    part: str = ""


def is_own(operator: Any, *attributes: str) -> Callable[[Request], bool]:
    """Whether a call is of the object that an operator keeps in an attribute, or that in one of its own; of any, until it keeps
    one."""

    def is_meant(arguments: Request) -> bool:
        kept = operator
        for name in attributes:
            kept = vars(kept).get(name)
            if kept is None:
                return True
        return kept is arguments["self"]

    return is_meant


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a service takes: characters of a property's value, and properties."""

    characters: int = 30_000
    properties: int = 10_000

    def exceeded(self, job: SparkJob, additions: Additions) -> str:
        """What is too much with the additions; "" for nothing."""
        limited = {key: value for key, value in additions.properties.items() if key not in job.unlimited}
        long = next((key for key, value in limited.items() if len(value) > self.characters), None)
        if long is not None:
            return f"{long} would have {len(limited[long])} characters, it takes {self.characters} at most"
        number = len((job.conf.keys() | limited.keys()) - job.unlimited)
        if additions and number > self.properties:
            return f"it would have {number} properties, it takes {self.properties} at most"
        return ""


class Engine(ABC):
    """How operators of one kind submit. Methods may raise: the job is then submitted as its author wrote it.

    `title` is what people call it, `schemes` are those of the file systems that its Sparks have (None: not known). An engine's
    requests are calls (`calls`), or fields of the operator (`fields`), which are as they were once it has executed.
    `log_lands_late`: event logs get to where they are read after the job has ended. `ends_as_spark_submit`: a job is over, as far
    as its operator sees, when its spark-submit is. `sends_again`: an operator that makes its request once more has deleted the
    job of the first one, which never started. `call_lasts`: what a request raises may be how its job ended, for the call lasts
    as long. `answers_with_its_job`: where a request names its job (`names_its_job`), the service answers with the one that is
    there; elsewhere its answer does not tell. `sets_sizes`: jobs have the memory that their own properties ask for, and others
    can be put in their place; `shapes` are the containers of executors that there are: for numbers of cores the most bytes, ()
    for any.
    """

    title: ClassVar[str]
    schemes: ClassVar[frozenset[str] | None] = None
    fields: ClassVar[tuple[str, ...]] = ()
    limits: ClassVar[Limits] = Limits()
    log_lands_late: ClassVar[bool] = False
    ends_as_spark_submit: ClassVar[bool] = False
    sends_again: ClassVar[bool] = False
    call_lasts: ClassVar[bool] = False
    answers_with_its_job: ClassVar[bool] = False
    sets_sizes: ClassVar[bool] = False
    shapes: ClassVar[tuple[tuple[int, int], ...]] = ()

    def calls(self, operator: Any) -> Sequence[Call]:
        """The methods by which the operator submits, for the time of its execute()."""
        return ()

    def look_up(self, operator: Any, request: Request, event_log_base: str) -> Ask | None:
        """What asks for what only a service tells of a request, as event logs go below a place: `read` and `changed` find it in
        the request, under names that none of its own has. None: nothing."""
        return None

    @abstractmethod
    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        """The Spark jobs in a request; none where there is none that could be steered or observed. Raises LeftAloneError."""

    @abstractmethod
    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        """The request with additions to its jobs, in the order of `read`, on copies: those of its values that are others."""

    def left_alone(self, operator: Any, request: Request) -> str:
        """What in a request is given nothing, and why, for people; "" for nothing."""
        return ""

    def is_refusal(self, error: Exception) -> bool:
        """Whether the service refuses the request for what is in it, so that one without the additions may pass."""
        return False

    def names_its_job(self, operator: Any, request: Request) -> bool:
        """Whether a request that is sent again starts no other job: a retry may go on with the one of an earlier try."""
        return False

    def goes_on_with_another(self, request: Request, outcome: Any) -> bool:
        """Whether a request started no job, and the operator goes on with one that was there: by what came of it, which is what
        the call returned or raised."""
        return False

    def waits(self, operator: Any) -> bool:
        """Whether the job has ended when the operator has."""
        return True

    def ends_as_its_job(self, operator: Any) -> bool:
        """Whether a task of one Spark job fails where that does, and for nothing else that it runs."""
        return True

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        """How a job gets to its driver: here, by the service."""
        conf = {**job.defaults, **job.conf}
        by = (self.title, self.schemes, self.limits.characters)
        lists = {name: self.limits.characters for name in _LISTS if name not in job.unlimited}
        return Submission(None, conf, agent_jar, *by, most_in_lists=lists, told_runtime=job.runtime)

    def access(self, operator: Any, url: str) -> Ask | None:
        """What asks for the options by which event logs below a URL are read with the operator's own connection (fsspec). None:
        by this machine's."""
        return None
