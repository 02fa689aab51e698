"""Names of Spark's properties that are no sizes and no knobs: what an application is, where it runs, what it brings along."""

from __future__ import annotations

APP_ID = "spark.app.id"
APP_NAME = "spark.app.name"
MASTER = "spark.master"
DEPLOY_MODE = "spark.submit.deployMode"
REMOTE = "spark.remote"
JARS = "spark.jars"
PACKAGES = "spark.jars.packages"
FILES = "spark.files"
DRIVER_CLASS_PATH = "spark.driver.extraClassPath"
EXECUTOR_JAVA_OPTIONS = ("spark.executor.extraJavaOptions", "spark.executor.defaultJavaOptions")
