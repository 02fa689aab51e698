"""As whom a command's Spark works."""

from __future__ import annotations

import pytest

from tuner.spark.shell_command import spark_programs
from tuner.spark.shell_user import UNTOLD_USER


@pytest.mark.parametrize(
    ("before", "user"),
    [
        ("", ""),
        ("export X=HADOOP_USER_NAME=etl;", ""),
        ("export HADOOP_USER_NAME=etl;", "etl"),
        ("HADOOP_USER_NAME='etl'", "etl"),
        ("env HADOOP_USER_NAME=etl", "etl"),
        ("export HADOOP_USER_NAME=etl; HADOOP_USER_NAME=etl", "etl"),
        ("export HADOOP_USER_NAME=$OWNER;", UNTOLD_USER),
        ("export HADOOP_USER_NAME=$(whoami);", UNTOLD_USER),
        ("HADOOP_USER_NAME=", UNTOLD_USER),
        ("[ $X ] && export HADOOP_USER_NAME=etl || export HADOOP_USER_NAME=load;", UNTOLD_USER),
        ("kinit -kt /etc/etl.keytab etl/host@EXAMPLE.ORG &&", "etl"),
        ("/usr/bin/kinit -k -t etl.keytab etl > /dev/null 2>&1;", "etl"),
        ("echo $PASSWORD | kinit -V etl@EXAMPLE.ORG;", "etl"),
        ("kinit -kt etl.keytab &&", UNTOLD_USER),
        ("kinit -k -t etl.keytab $PRINCIPAL &&", UNTOLD_USER),
        ("kinit -R;", UNTOLD_USER),
        ("kinit;", UNTOLD_USER),
        ("kinit etl; export HADOOP_USER_NAME=load;", UNTOLD_USER),
    ],
)
def test_a_user_is_known_where_a_word_names_him_alone(before: str, user: str) -> None:
    found = spark_programs(f"{before} spark-submit job.py")
    assert len(found.found) == 1
    assert found.user == user
