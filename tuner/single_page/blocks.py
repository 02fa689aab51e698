"""Data that stands in a page, where no text of a log can end the block that it is in."""

from __future__ import annotations

import base64
import gzip

# Script data ends at `</script`, and `<!--` changes how the rest is read (HTML, 13.2.6.4.4 and 4.12.1.3).
_ESCAPED = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def json_block(id_: str, json: bytes) -> str:
    """A script element that holds JSON as it is, and never runs."""
    return f'<script type="application/json" id="{id_}">{json.decode().translate(_ESCAPED)}</script>\n'


def packed_block(id_: str, json: bytes) -> str:
    """A script element that holds JSON, compressed: plans of many queries say much the same."""
    packed = base64.b64encode(gzip.compress(json, 6, mtime=0)).decode("ascii")
    return f'<script type="application/gzip" id="{id_}">{packed}</script>\n'
