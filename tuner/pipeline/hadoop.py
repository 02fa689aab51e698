"""The output directory through Hadoop's FileSystem: wherever Spark can write."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from pyspark.sql import SparkSession

from tuner.errors import HarvestError


class HadoopDirectory:
    """A `Directory` at a path or URL as Spark understands it."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        self.location = location
        self._jvm: Any = spark.sparkContext._jvm
        self._root = self._jvm.org.apache.hadoop.fs.Path(location)
        self._fs = self._root.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())

    def names(self, path: str) -> list[str]:
        directory = self._at(path)
        if not self._fs.exists(directory):
            return []
        return [status.getPath().getName() for status in self._fs.listStatus(directory)]

    def read(self, path: str) -> bytes:
        with closing(self._fs.open(self._at(path))) as stream:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))

    def write(self, path: str, content: bytes) -> None:
        unfinished = f"{path}._unfinished"
        self.put(unfinished, content)
        self._rename(self._at(unfinished), self._at(path))

    def put(self, path: str, content: bytes) -> None:
        with closing(self._fs.create(self._at(path), True)) as stream:
            stream.write(bytearray(content))

    def move(self, source: str, target: str) -> None:
        origin, destination = self._at(source), self._at(target)
        if self._fs.exists(origin):
            self._fs.mkdirs(destination.getParent())
            self._rename(origin, destination)

    def delete(self, path: str) -> None:
        self._fs.delete(self._at(path), True)

    def _at(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(self._root, path)

    def _rename(self, source: Any, target: Any) -> None:
        if self._fs.exists(target) or not self._fs.rename(source, target):
            raise HarvestError(
                f"{target.toString()}: cannot be put in place; is another harvest writing there? Run this one again"
            )
