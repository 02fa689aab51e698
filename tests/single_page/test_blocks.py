"""Data in a page ends where the page says, whatever it holds."""

from __future__ import annotations

import base64
import gzip
import json
import re

from tuner.single_page.blocks import json_block, packed_block

HOSTILE = ["</script><script>alert(1)</script>", "<!-- <script>", "a & b", "line\u2028end", "ünï 💥", 'quo"te\\']


def test_json_is_read_as_it_was_and_holds_no_markup() -> None:
    block = json_block("front", json.dumps(HOSTILE, ensure_ascii=False).encode())
    found = re.fullmatch(r'<script type="application/json" id="front">([^<>&\u2028]*)</script>\n', block)
    assert found is not None
    assert json.loads(found[1]) == HOSTILE


def test_packed_json_is_read_as_it_was() -> None:
    block = packed_block("cohort-0", json.dumps(HOSTILE).encode())
    found = re.fullmatch(r'<script type="application/gzip" id="cohort-0">([A-Za-z0-9+/=]*)</script>\n', block)
    assert found is not None
    assert json.loads(gzip.decompress(base64.b64decode(found[1]))) == HOSTILE
