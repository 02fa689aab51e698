"""One root for every error the tuner raises on purpose."""

from __future__ import annotations


class TunerError(Exception):
    """What went wrong, where, and what to do next; the CLI prints it as one line and exits with 1."""


class EventLogNotFoundError(TunerError):
    """No event log at the path given."""


class EventLogUnreadError(TunerError):
    """Whether there is an event log cannot be told now: what would tell cannot be listed or read. Later it may be."""


class StoreError(TunerError):
    """The history store cannot be reached, or its schema is not this version's."""


class NoHomeError(TunerError):
    """There is no home directory, and nothing else says where files of the tuner's own are."""


class TriedMeanwhileError(TunerError):
    """A run that began after this one was decided tries one of its changes already, or tells what one of them does."""


class SpokenMeanwhileError(TunerError):
    """Somebody said something of a cohort since it was looked at."""


class SparkSubmitError(TunerError):
    """spark-submit cannot be started."""


class RequirementError(TunerError):
    """Something this command needs is not installed."""


class HarvestError(TunerError):
    """A harvest on Spark cannot write its tables."""
