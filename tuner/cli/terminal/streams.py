"""This program's own streams, as every command may rely on them."""

from __future__ import annotations

import io
import os
import sys


def open_streams() -> None:
    """Streams that whoever started this closed lead nowhere; what a locale cannot write is written as escapes."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def utf8_stdout() -> None:
    """For what programs read: the same bytes in any locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
