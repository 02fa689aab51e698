"""Writes a plain event log anew through each of Spark's own codecs, as its event log writer does: flushed now and then,
and the second half as a stream of its own, as `.compact` files and copies have it.

usage: recompress_app.py PLAIN DIRECTORY
"""

import sys
from pathlib import Path

from pyspark import SparkContext

_, plain, directory = sys.argv
context = SparkContext.getOrCreate()
jvm = context._jvm
codecs = getattr(getattr(jvm.org.apache.spark.io, "CompressionCodec$"), "MODULE$")
lines = Path(plain).read_bytes().splitlines(keepends=True)
halves = lines[: len(lines) // 2], lines[len(lines) // 2 :]
for name in ("lz4", "snappy", "lzf", "zstd"):
    codec = codecs.createCodec(context._jsc.sc().conf(), name)
    file = jvm.java.io.FileOutputStream(str(Path(directory) / f"app.{name}"))
    for half in halves:
        inner = jvm.java.io.ByteArrayOutputStream()
        stream = codec.compressedContinuousOutputStream(inner)
        for number, line in enumerate(half):
            stream.write(bytearray(line))
            if number % 7 == 0:
                stream.flush()
        stream.close()
        inner.writeTo(file)
    file.close()
context.stop()
