"""What is put in front of a command for a shell of another machine, so that its Spark program has properties by
SPARK_SUBMIT_OPTS.

sshd drops variables that its AcceptEnv does not name, without a word. The command itself stays as it is, in the shell that its
author has there: a script, in base64 so that no shell quotes it, prints the one line that this shell evaluates. Where it cannot
(no base64; csh and its like; the log's directory is not there), it prints none, and the job runs as it would.
"""

from __future__ import annotations

import shlex
from base64 import b64encode

from tuner.eventlog.location import local_path
from tuner.spark.submit_opts import VARIABLE

_END = "spark-tuner-end"


def with_prologue(command: str, options: str, event_log_dir: str) -> str:
    """The command, with options that are joined with those that are there."""
    script = b64encode(_script(options, event_log_dir).encode()).decode()
    return f'eval "`echo {script} | base64 -d | sh`"; {command}'


def _script(options: str, event_log_dir: str) -> str:
    line = f'export {VARIABLE}={shlex.quote(options)}"${{{VARIABLE}:+ ${VARIABLE}}}"'
    directory = local_path(event_log_dir) if event_log_dir else None
    # Spark does not start with a directory that is not there.
    guard = f"[ -w {shlex.quote(str(directory))} ] || exit 0\n" if directory else ""
    return f'case "$SHELL" in *csh) exit 0 ;; esac\n{guard}cat <<"{_END}"\n{line}\n{_END}\n'
