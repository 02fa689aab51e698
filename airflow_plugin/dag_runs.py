"""Several runs of a DAG in one process, each as `airflow dags test` does it: Airflow is imported and started once.

usage: python -m airflow_plugin.dag_runs DAG_ID
Makes or migrates Airflow's database, then runs the DAG once for each logical date on standard input, a line each.
Answers with a line each on standard output: `ready`, then `success` or `failed`. All else goes to standard error.
"""

from __future__ import annotations

import os
import sys
import traceback

READY, SUCCESS, FAILED = "ready", "success", "failed"


def main(dag_id: str) -> None:
    """Serve runs until standard input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1, encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from airflow.cli.cli_parser import get_parser

    parser = get_parser()

    def airflow(*arguments: str) -> bool:
        args = parser.parse_args(arguments)
        try:
            args.func(args)
        except SystemExit as exit_:
            return not exit_.code
        except Exception:
            traceback.print_exc()
            return False
        return True

    answers.write(f"{READY if airflow('db', 'migrate') else FAILED}\n")
    for line in sys.stdin:
        answers.write(f"{SUCCESS if airflow('dags', 'test', dag_id, line.strip()) else FAILED}\n")


if __name__ == "__main__":
    main(sys.argv[1])
