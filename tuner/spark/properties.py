"""Names of Spark's properties that are no sizes and no knobs: what an application is, where it runs, what it brings along."""

from __future__ import annotations

APP_ID = "spark.app.id"
APP_NAME = "spark.app.name"
MASTER = "spark.master"
DEPLOY_MODE = "spark.submit.deployMode"
REMOTE = "spark.remote"
EXTENSIONS = "spark.sql.extensions"
JARS = "spark.jars"
PACKAGES = "spark.jars.packages"
FILES = "spark.files"
DRIVER_CLASS_PATH = "spark.driver.extraClassPath"
# How many events Spark holds for its event log, which it drops beyond; before Spark 3.0 all queues had one property.
EVENT_LOG_QUEUE = "spark.scheduler.listenerbus.eventqueue.eventLog.capacity"
EVENT_QUEUES = "spark.scheduler.listenerbus.eventqueue.capacity"
# As whom Hadoop's client writes where nobody proves who he is (UserGroupInformation): a variable, no property.
HADOOP_USER = "HADOOP_USER_NAME"
# Who asks Kerberos for its ticket with a keytab; the older name holds, too (SparkConf).
PRINCIPALS = ("spark.kerberos.principal", "spark.yarn.principal")
EXECUTOR_JAVA_OPTIONS = ("spark.executor.extraJavaOptions", "spark.executor.defaultJavaOptions")
# Where YARN's containers have their Spark from, if not from what submits.
YARN_SPARK = frozenset({"spark.yarn.archive", "spark.yarn.jars"})
# Whether spark-submit waits for an application in cluster mode, by how its master begins, and whether it does where nobody says.
WAITS_FOR_COMPLETION = {
    "yarn": ("spark.yarn.submit.waitAppCompletion", True),
    "k8s": ("spark.kubernetes.submission.waitAppCompletion", True),
    "spark": ("spark.standalone.submit.waitAppCompletion", False),
}
