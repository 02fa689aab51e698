"""Puts join hints into the text of a statement, and nothing else: every other character stays as the user wrote it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

from sqlglot import Token, TokenType, exp

from tuner.model.action import Hint
from tuner.model.join_site import JoinSite
from tuner.model.strategy import BuildSide
from tuner.steering.sql_names import Name, key_name, relation_name, same_relation
from tuner.steering.sql_order import has_product, hinted_join, partners
from tuner.steering.sql_parse import ParsedStatement, UnreadableSqlError, parse_statement
from tuner.steering.sql_scope import Origin, Scopes, Site, is_tested, source_name
from tuner.steering.sql_script import hints_at

# JoinStrategyHint.strategies (Spark 3.0 and later, SPARK-27225).
_USERS_JOIN_HINT = re.compile(
    r"\b(?:BROADCAST|BROADCASTJOIN|MAPJOIN|MERGE|SHUFFLE_MERGE|MERGEJOIN|SHUFFLE_HASH|SHUFFLE_REPLICATE_NL)"
    r"\s*\(([^)]*)\)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class JoinHintRequest:
    """One side of one join to hint.

    `relation` is the base relation that the side consists of; `keys` are pairs of `relation.column`, the hinted
    side's first, and tell the join apart from others of the same relation. Where several query blocks join it on these
    very keys, `everywhere` hints them all: for a caller that knows that all are alike.
    """

    hint: Hint
    relation: str
    keys: tuple[tuple[str, str], ...] = ()
    everywhere: bool = False

    @property
    def plain_keys(self) -> tuple[tuple[str, str], ...]:
        """The keys whose hinted side is a column of the relation, not computed from some."""
        return tuple((own, other) for own, other in self.keys if key_name(own)[0])

    @classmethod
    def for_side(cls, hint: Hint, site: JoinSite, side: BuildSide) -> JoinHintRequest | None:
        """The request that hints this side of a measured join; None if it is not one base relation."""
        left = side is BuildSide.LEFT
        relations = (site.left if left else site.right).relations
        if len(relations) != 1:
            return None
        return cls(hint, relations[0], tuple((a, b) if left else (b, a) for a, b in site.keys))


@dataclass(frozen=True, slots=True)
class SkippedHint:
    """A request that left the text alone, and why; `users_hint` is the user's own hint where that is the reason."""

    request: JoinHintRequest
    reason: str
    users_hint: str | None = None


@dataclass(frozen=True, slots=True)
class HintedStatement:
    """A statement with the hints that could be placed without doubt; the same text if none could."""

    text: str
    applied: tuple[JoinHintRequest, ...] = ()
    skipped: tuple[SkippedHint, ...] = ()


class _Skip(Exception):  # noqa: N818  # not an error: a request that is turned down
    def __init__(self, reason: str, users_hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.users_hint = users_hint


class _Evidence(IntEnum):
    """What the text says of a join's keys: they are not equal there, may be, are."""

    AGAINST = 0
    OPEN = 1
    FOR = 2


@dataclass(frozen=True, slots=True)
class _Placement:
    """`call` as in `BROADCAST(d1)`, after the SELECT that ends at `position`, which is block number `block`."""

    block: int
    position: int
    hint: Hint
    name: str

    @property
    def call(self) -> str:
        return f"{self.hint}({self.name})"


def add_join_hints(
    statement: str, hints: Sequence[JoinHintRequest], measured_keys: Iterable[tuple[str, str]] = ()
) -> HintedStatement:
    """Write each hint into the query block that joins its relation, where the text leaves no doubt which it is.

    `measured_keys` are the keys of all joins of the query, as in JoinSite.keys: they tell which relation owns a column
    that the text does not qualify: the more of them, the more hints find their place.
    The hinted text is parsed again and must differ by the hints alone. A user's join hint on either side wins.
    Never raises: what cannot be read or placed is skipped with the reason.
    """
    try:
        return _hinted(statement, hints, measured_keys) if hints else HintedStatement(statement)
    except UnreadableSqlError as error:
        reason = str(error)
    except Exception as error:  # a statement beyond sqlglot or this module must run as it would have
        reason = f"the statement could not be examined ({type(error).__name__})"
    return HintedStatement(statement, skipped=tuple(SkippedHint(request, reason) for request in hints))


def _hinted(
    statement: str, hints: Sequence[JoinHintRequest], measured_keys: Iterable[tuple[str, str]]
) -> HintedStatement:
    parsed = parse_statement(statement)
    scopes = Scopes(parsed.tree, _known_columns(hints, measured_keys))
    applied: list[JoinHintRequest] = []
    skipped: list[SkippedHint] = []
    placed: list[_Placement] = []
    text = statement
    for request in hints:
        try:
            wanted = [_place(request, site, scopes, parsed) for site in _choose(request, scopes)]
            together = _together(placed, wanted)
            text = _write(parsed, together)
            placed = together
            applied.append(request)
        except _Skip as skip:
            skipped.append(SkippedHint(request, skip.reason, skip.users_hint))
    return HintedStatement(text, tuple(applied), tuple(skipped))


def _place(request: JoinHintRequest, site: Site, scopes: Scopes, parsed: ParsedStatement) -> _Placement:
    end = _select_end(parsed.tokens, site.position)
    if end is None:
        raise _Skip(f"no SELECT stands before {site.name} in its query block, so there is no place for a hint")
    if any(same_relation(source_name(other), source_name(site.source)) for other in scopes.neighbours(site)):
        raise _Skip(f"the name {site.name} stands for more than one relation of its query block")
    if not scopes.neighbours(site) and not is_tested(site.block):
        raise _Skip(f"the query block that reads {site.name} joins it with nothing")
    _respect_users_hints(request, site, scopes, hints_at(parsed.text, end))
    _respect_order(request, site, scopes, parsed.tokens)
    return _Placement(_block_number(parsed.tree, site.block), end, request.hint, site.name)


def _choose(request: JoinHintRequest, scopes: Scopes) -> list[Site]:
    relation = relation_name(request.relation)
    sites = [site for site in scopes.sites() if same_relation(site.relation, relation)]
    if not sites:
        raise _Skip(f"{request.relation} is not named in the statement (read through a view, or by a path)")
    weighed = [(_evidence(request, site, scopes), site) for site in sites]
    best = max(evidence for evidence, _ in weighed)
    chosen = [site for evidence, site in weighed if evidence is best]
    if best is _Evidence.AGAINST:
        raise _Skip(f"the statement names {request.relation} but does not join it on {_keys(request)}")
    if len(chosen) > 1 and not (request.everywhere and best is _Evidence.FOR):
        raise _Skip(f"{len(chosen)} places of the statement could join {request.relation} on {_keys(request)}")
    return chosen


def _evidence(request: JoinHintRequest, site: Site, scopes: Scopes) -> _Evidence:
    if not request.plain_keys:
        return _Evidence.OPEN if scopes.neighbours(site) else _Evidence.AGAINST
    columns = _equal_columns(request, site, scopes)
    return min(_equality(equal, other, scopes) for equal, (_, other) in zip(columns, request.plain_keys, strict=True))


def _equality(equal: Iterable[Origin], key: str, scopes: Scopes) -> _Evidence:
    relation, column = key_name(key)
    if any(same_relation(found.relation, relation) and found.column == column for found in equal):
        return _Evidence.FOR
    # A relation that the statement does not name may be behind any name in it: a view's.
    behind_a_view = not any(same_relation(named.relation, relation) for named in scopes.sites())
    return _Evidence.OPEN if any(behind_a_view or not found.relation for found in equal) else _Evidence.AGAINST


def _respect_users_hints(request: JoinHintRequest, site: Site, scopes: Scopes, hints: Iterable[str]) -> None:
    """A user's join hint on the relation, or on what it is joined with, wins (STEERING.md)."""
    joined = {found.path[0] for equal in _equal_columns(request, site, scopes) for found in equal}
    sides = [site.source, *(other for other in scopes.neighbours(site) if id(other) in joined)]
    for hint in hints:
        for call in _USERS_JOIN_HINT.finditer(hint):
            hinted = [relation_name(name) for name in call.group(1).split(",")]
            if any(same_relation(name, source_name(side)) for name in hinted for side in sides):
                raise _Skip(f"the user's own hint wins: {call.group()}", call.group())


def _respect_order(request: JoinHintRequest, site: Site, scopes: Scopes, tokens: Iterable[Token]) -> None:
    """The hint must land on the measured join and leave no relations to meet without a condition."""
    commas_last = all(token.token_type is not TokenType.CROSS for token in tokens)
    join = hinted_join(site.block, site.source, commas_last=commas_last)
    if join is None:
        return
    near = partners(join, site.source)
    for (own, other), equal in zip(request.plain_keys, _equal_columns(request, site, scopes), strict=True):
        if not any(found.path[0] in near or not found.relation for found in equal):
            raise _Skip(f"FROM joins {site.name} with other relations first, before {own} = {other} applies")
    if has_product(join, scopes.ties()):
        raise _Skip(f"a hint pins the order of FROM up to {site.name}, where relations meet without a join condition")


def _equal_columns(request: JoinHintRequest, site: Site, scopes: Scopes) -> list[frozenset[Origin]]:
    """For each key of the request, the columns that the statement makes equal to the hinted side's."""
    origins = [Origin(site.path, site.relation, key_name(own)[1]) for own, _ in request.plain_keys]
    return [scopes.equal_to(origin) - {origin} for origin in origins]


def _select_end(tokens: Sequence[Token], position: int) -> int | None:
    """The offset after the SELECT whose FROM clause holds `position`: the nearest one not in parentheses of its own."""
    depth = 0
    for token in reversed([token for token in tokens if token.start < position]):
        if token.token_type is TokenType.R_PAREN:
            depth += 1
        elif token.token_type is TokenType.L_PAREN:
            depth = max(depth - 1, 0)
        elif token.token_type is TokenType.SELECT and depth == 0:
            return token.end + 1
    return None


def _together(placed: Sequence[_Placement], wanted: Iterable[_Placement]) -> list[_Placement]:
    """Earlier and new placements, each name of a block hinted once."""
    together = {(placement.block, placement.name): placement for placement in placed}
    for placement in wanted:
        earlier = together.setdefault((placement.block, placement.name), placement)
        if earlier.hint is not placement.hint:
            raise _Skip(f"{earlier.call} was asked for the same relation of the same query block before")
    return list(together.values())


def _write(parsed: ParsedStatement, placements: Sequence[_Placement]) -> str:
    """The statement with the hints, proved to be otherwise the same."""
    text = parsed.text
    for position, calls in sorted(_calls(placements, lambda placement: placement.position).items(), reverse=True):
        text = f"{text[:position]} /*+ {', '.join(calls)} */{text[position:]}"
    if not _is_same_but_for(text, placements, parsed.tree):
        raise _Skip(f"with {placements[-1].call} written in, the statement would not read the same")
    return text


def _is_same_but_for(hinted: str, placements: Iterable[_Placement], tree: exp.Expr) -> bool:
    try:
        again = parse_statement(hinted)
        wanted = {
            block: _hint_tree(calls) for block, calls in _calls(placements, lambda placement: placement.block).items()
        }
    except UnreadableSqlError:
        return False
    return all(again.hints[block] == hint for block, hint in wanted.items()) and again.tree == tree


def _hint_tree(calls: Sequence[str]) -> exp.Expr | None:
    return parse_statement(f"SELECT /*+ {', '.join(calls)} */ 1").hints[0]


def _calls(placements: Iterable[_Placement], by: Callable[[_Placement], int]) -> dict[int, list[str]]:
    calls: dict[int, list[str]] = defaultdict(list)
    for placement in placements:
        calls[by(placement)].append(placement.call)
    return calls


def _block_number(tree: exp.Expr, block: exp.Select) -> int:
    return next(number for number, found in enumerate(tree.find_all(exp.Select)) if found is block)


def _known_columns(
    requests: Iterable[JoinHintRequest], measured_keys: Iterable[tuple[str, str]]
) -> Mapping[Name, set[str]]:
    known: dict[Name, set[str]] = defaultdict(set)
    requested = (pair for request in requests for pair in request.keys)
    for key in chain.from_iterable([*requested, *measured_keys]):
        relation, column = key_name(key)
        if relation:
            known[relation].add(column)
    return known


def _keys(request: JoinHintRequest) -> str:
    return " and ".join(f"{own} = {other}" for own, other in request.keys) or "any column"
