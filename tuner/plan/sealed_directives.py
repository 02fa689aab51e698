"""Directives that one job lends to others, sealed: who does not read what their query reads learns nothing of it.

A message is for people to see: it stands in Spark's UI and in event logs, of jobs whose readers may not see the one that lends.
So each query's entry is its JSON under a key stream made of the relations and columns that it reads. An agent with a plan that
reads these has the key, any other has bytes. Against who guesses all the names it is no secret. Sealed.java opens it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence

import msgspec

from tuner.model.agent_message import AgentMessageError, QueryDirectives, SealedDirectives, check_orders
from tuner.plan.digest import digest

_decoder = msgspec.json.Decoder(QueryDirectives)


def seal(query: QueryDirectives) -> SealedDirectives:
    """The entry of a query that names its relations and the digest of their columns, sealed with these; the same for the same."""
    text = json.dumps(msgspec.to_builtins(query), separators=(",", ":"), ensure_ascii=True)
    nonce = digest(text)
    body = _masked(text.encode(), nonce, query.relations, query.columns)
    return SealedDirectives(_lock(query.relations, query.columns), nonce, base64.b64encode(body).decode())


def opened(sealed: Sequence[SealedDirectives], relations: Sequence[str], columns: str) -> tuple[QueryDirectives, ...]:
    """Those entries that who reads these relations, and these columns of them, can open; none that is not as it was sealed."""
    lock = _lock(relations, columns) if sealed else ""
    found = (_opened(one, relations, columns) for one in sealed if one.lock == lock)
    return tuple(query for query in found if query is not None)


def _opened(one: SealedDirectives, relations: Sequence[str], columns: str) -> QueryDirectives | None:
    try:
        query = _decoder.decode(_masked(base64.b64decode(one.body), one.nonce, relations, columns))
        check_orders((query,))
    except (msgspec.MsgspecError, binascii.Error, ValueError, RecursionError, AgentMessageError):
        return None
    return query


def _lock(relations: Sequence[str], columns: str) -> str:
    return digest("\n".join(["lock", *sorted(relations), columns]))


def _masked(data: bytes, nonce: str, relations: Sequence[str], columns: str) -> bytes:
    """XOR with SHA-256 of the key and a counter, block by block."""
    key = "\n".join([nonce, *sorted(relations), columns])
    blocks = -(-len(data) // 32)
    stream = b"".join(hashlib.sha256(f"{key}\n{number}".encode()).digest() for number in range(blocks))
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))
