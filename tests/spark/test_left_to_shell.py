"""What a command leaves to its shell."""

from __future__ import annotations

import pytest

from tuner.spark.left_to_shell import LeftToShell
from tuner.spark.shell_command import spark_programs

MODE = LeftToShell(deploy_mode=True)
FILE = LeftToShell(properties_file=True, deploy_mode=True)
SPARK = LeftToShell(spark=True, deploy_mode=True)


def left(command: str) -> LeftToShell:
    found = spark_programs(command)
    assert len(found.found) == 1 and not found.obstacle
    return found.left


@pytest.mark.parametrize(
    "command",
    [
        "spark-submit job.py",
        "spark-submit --master yarn --name etl_$DAY --conf spark.x=$X --conf 'spark.y=`date`' job.py --day $DAY",
        "spark-submit --deploy-mode cluster s3://$BUCKET/job.py",
        "/opt/spark/bin/spark-submit $AIRFLOW_HOME/jobs/job.py && echo $(date)",
        "export PATH=/x:$PATH; /opt/spark/bin/spark-submit job.py",
        "${SPARK_HOME}/bin/spark-submit ${HOME}/job.py",
        "X=1 spark-submit --properties-file /etc/job.conf ~/job_$(date +%F).py",
        "export SPARK_HOME=$OTHER PATH=/x:$PATH; echo; spark-sql -e $SQL --properties-file /etc/job.conf",
    ],
)
def test_options_that_stand_there_are_all_that_there_are(command: str) -> None:
    assert not left(command).deploy_mode


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("spark-submit $SPARK_ARGS /opt/job.py", MODE),
        ("spark-submit $COMMON --deploy-mode client job.py", MODE),
        ("spark-submit --master yarn `cat options` job.py", MODE),
        ("spark-submit --master yarn $(cat options) job.py", MODE),
        ("spark-submit --name job_$(date +%F) --deploy-mode cluster job.py", MODE),
        ('spark-submit "${OPTIONS[@]}" job.py', MODE),
        ("spark-submit ${MODE:+--deploy-mode cluster} job.py", MODE),
        ("spark-submit --conf $SETTING job.py", MODE),
        ("spark-submit --$FLAG job.py", MODE),
        ("spark-submit --of-another-spark yes --deploy-mode cluster job.py", MODE),
        ("spark-submit --deploy-mode ${MODE:-cluster} job.py", MODE),
        ("spark-submit --deploy-mode=$MODE job.py", MODE),
        ("spark-submit --conf spark.submit.deployMode=$MODE job.py", MODE),
        ("export SPARK_CONF_DIR=/etc/spark/prod; spark-submit job.py", MODE),
        ("DEPLOY_MODE=cluster spark-submit job.py", MODE),
        ("cd /opt/app && spark-submit --properties-file conf/prod.conf job.py", FILE),
        ("spark-submit --properties-file ~/prod.conf job.py", FILE),
        ("spark-submit --properties-file /etc/$STAGE.conf job.py", FILE),
        ("export SPARK_HOME=/opt/spark-3; spark-submit job.py", SPARK),
        ("PATH=/opt/spark-3/bin:$PATH spark-submit job.py", SPARK),
        ("$SPARK3/bin/spark-submit job.py", SPARK),
        ("cd /opt/spark-3 && bin/spark-submit job.py", SPARK),
        ("bash -c 'export SPARK_HOME=/opt/spark-3; spark-submit job.py'", SPARK),
    ],
)
def test_what_a_shell_decides_is_not_known(command: str, what: LeftToShell) -> None:
    assert left(command) == what


@pytest.mark.parametrize("own", ["--deploy-mode client", "--conf spark.submit.deployMode=cluster", "--master local[2]"])
@pytest.mark.parametrize("elsewhere", ["SPARK_CONF_DIR=/x", "SPARK_HOME=/x", "DEPLOY_MODE=$MODE"])
def test_an_option_beats_what_is_set_elsewhere(own: str, elsewhere: str) -> None:
    command = f"export {elsewhere}; spark-submit --properties-file prod.conf {own} job.py"
    assert not left(command).deploy_mode
    assert left(f"export {elsewhere}; spark-submit --master yarn job.py").deploy_mode
