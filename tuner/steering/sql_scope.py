"""Which relations a statement joins, where, and on which columns, as far as its text alone tells.

There is no schema: a column without a qualifier belongs to the relation that is known to own it, or to
the only relation of its query block; else it is not traced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from tuner.steering.sql_names import Name, measured_name, same_relation, written_name

_DEEPEST_NESTING = 20


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a column comes from.

    `path` names the sources that lead to it (ids of tree nodes, outermost first), so that the same relation read twice
    has two origins; `relation`, named as measured, is empty where the text does not say which base relation it is.
    """

    path: tuple[int, ...]
    relation: Name
    column: str


@dataclass(frozen=True, slots=True)
class Site:
    """A base relation as one query block sees it: itself, or under a derived table or CTE that reads nothing else.

    `name` is what the block calls the source, as written; `position` the offset of a token of that name.
    """

    block: exp.Select
    source: exp.Expr
    relation: Name
    path: tuple[int, ...]
    name: str
    position: int


class Scopes:
    """The query blocks of one parsed statement. `known` are columns that relations are known to own."""

    def __init__(self, tree: exp.Expr, known: Mapping[Name, Iterable[str]]) -> None:
        self._known = {relation: frozenset(columns) for relation, columns in known.items()}
        self._blocks = list(tree.find_all(exp.Select))
        self._sources = {id(block): _sources(block) for block in self._blocks}
        self._pairs = list(self._equalities())
        self._classes = _merge(self._pairs)

    def sites(self) -> Iterator[Site]:
        """Every place where a base relation can be hinted by name."""
        for block in self._blocks:
            for source in self._sources[id(block)]:
                base = self._base(source)
                name = self._written(source)
                if base is not None and name is not None:
                    yield Site(block, source, base[-1][1], tuple(step for step, _ in base), *name)

    def equal_to(self, origin: Origin) -> frozenset[Origin]:
        """The columns that the statement's equality predicates make equal to this one, itself included."""
        return next((members for members in self._classes if origin in members), frozenset())

    def neighbours(self, site: Site) -> list[exp.Expr]:
        """The other sources of the site's block."""
        return [source for source in self._sources[id(site.block)] if source is not site.source]

    def ties(self) -> frozenset[frozenset[int]]:
        """The pairs of sources (ids of tree nodes) that some equality predicate compares."""
        return frozenset(frozenset((one.path[0], other.path[0])) for one, other in self._pairs)

    def _base(self, source: exp.Expr) -> list[tuple[int, Name]] | None:
        """The steps from a source to the one base relation below it, None if it reads more than one."""
        steps: list[tuple[int, Name]] = []
        current: exp.Expr | None = source
        while current is not None and len(steps) < _DEEPEST_NESTING:
            query = _query_of(current)
            steps.append((id(current), _relation(current) if query is None else ()))
            if query is None:
                return steps if steps[-1][1] else None
            inner = self._sources.get(id(query), [])
            current = inner[0] if len(inner) == 1 else None
        return None

    def _written(self, source: exp.Expr) -> tuple[str, int] | None:
        """A source's name as the text has it, and where; None if the tree does not say where."""
        alias = source.args.get("alias")
        parts = [alias.this] if alias is not None else _parts(source)
        if not parts or not all(isinstance(part, exp.Identifier) for part in parts):
            return None
        start = parts[0].meta.get("start")
        return (".".join(_spelled(part) for part in parts), start) if isinstance(start, int) else None

    def _equalities(self) -> Iterator[tuple[Origin, Origin]]:
        for block in self._blocks:
            for node in _own(block, exp.EQ, exp.NullSafeEQ):
                if isinstance(node.find_ancestor(exp.Where, exp.Join, exp.Select), (exp.Where, exp.Join)):
                    yield from self._equal(node.this, block, node.expression, block)
            for node in _own(block, exp.In):
                yield from self._in_subquery(node, block)
            yield from self._using(block)

    def _equal(
        self, left: exp.Expr, left_block: exp.Select, right: exp.Expr, right_block: exp.Select
    ) -> Iterator[tuple[Origin, Origin]]:
        one, other = _column(left), _column(right)
        if one is not None and other is not None:
            yield self._origin(one, left_block), self._origin(other, right_block)

    def _in_subquery(self, node: exp.Expr, block: exp.Select) -> Iterator[tuple[Origin, Origin]]:
        query = _unwrap(node.args.get("query"))
        if isinstance(query, exp.Select):
            tested = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
            for expression, projection in zip(tested, query.selects, strict=False):
                yield from self._equal(expression, block, projection.unalias(), query)

    def _using(self, block: exp.Select) -> Iterator[tuple[Origin, Origin]]:
        before: list[exp.Expr] = []
        joined = {id(join.this): join for join in _own(block, exp.Join)}
        for source in self._sources[id(block)]:
            join = joined.get(id(source))
            for identifier in (join.args.get("using") or ()) if join is not None else ():
                column = identifier.name.lower()
                owner = self._owner(column, before)
                if owner is not None:
                    yield self._origin_in(owner, column, ()), self._origin_in(source, column, ())
            before.append(source)

    def _origin(self, column: exp.Column, block: exp.Select, path: tuple[int, ...] = ()) -> Origin:
        name, qualifier = column.name.lower(), written_name(part.name for part in column.parts[:-1])
        scope: exp.Select | None = block
        while scope is not None:
            sources = self._sources.get(id(scope), [])
            named = [s for s in sources if (_is_called(s, qualifier) if qualifier else self._owns(s, name))]
            if len(named) == 1:
                return self._origin_in(named[0], name, path)
            scope = scope.find_ancestor(exp.Select)
        sources = self._sources.get(id(block), [])
        if len(sources) == 1 and not qualifier:
            return self._origin_in(sources[0], name, path)
        return Origin((*path, id(block)), (), ".".join((*qualifier, name)))

    def _origin_in(self, source: exp.Expr, column: str, path: tuple[int, ...]) -> Origin:
        here = (*path, id(source))
        query = _query_of(source)
        if query is None:
            return Origin(here, _relation(source), column)
        if isinstance(query, exp.Select) and len(here) < _DEEPEST_NESTING and not _renames(source):
            inner = self._projected(query, column)
            if isinstance(inner, exp.Column):
                return self._origin(inner, query, here)
            if inner is not None:
                return self._origin_in(inner, column, here)
        return Origin(here, (), column)

    def _projected(self, query: exp.Select, column: str) -> exp.Expr | None:
        """The column behind a projection of a query, or the source behind its star; None if it is computed."""
        for projection in query.selects:
            if projection.alias_or_name.lower() == column:
                return _column(projection.unalias())
        if any(projection.is_star for projection in query.selects):
            return self._owner(column, self._sources.get(id(query), []))
        return None

    def _owner(self, column: str, sources: list[exp.Expr]) -> exp.Expr | None:
        """The one source that has the column: known to, or projecting it; else the only source there is."""
        owners = [source for source in sources if self._owns(source, column)]
        candidates = owners or sources
        return candidates[0] if len(candidates) == 1 else None

    def _owns(self, source: exp.Expr, column: str) -> bool:
        query = _query_of(source)
        if isinstance(query, exp.Query):
            return any(projection.alias_or_name.lower() == column for projection in query.selects)
        name = _relation(source)
        return any(column in columns and same_relation(name, owner) for owner, columns in self._known.items())


def is_tested(block: exp.Select) -> bool:
    """Whether the block is the subquery of an IN or EXISTS: Spark joins it with the block around it."""
    parent = block.parent
    while isinstance(parent, exp.Subquery):
        parent = parent.parent
    return isinstance(parent, (exp.In, exp.Exists))


def _spelled(identifier: exp.Expr) -> str:
    """An identifier as a hint can hold it: in backticks if it is in the text, or if it may be read as a word of SQL."""
    name, quoted = identifier.name, bool(identifier.args.get("quoted"))
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name.upper() not in Spark.Tokenizer.KEYWORDS
    return name if plain and not quoted else "`{}`".format(name.replace("`", "``"))


def source_name(source: exp.Expr) -> Name:
    """What a query block calls a source: its alias, else the relation's name."""
    return (source.alias.lower(),) if source.alias else _table_name(source)


def _own(block: exp.Select, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
    return (node for node in block.find_all(*kinds) if node.find_ancestor(exp.Select) is block)


def _sources(block: exp.Select) -> list[exp.Expr]:
    """What the block reads FROM, in text order; an aliased join in parentheses hides what it joins, as in Spark."""
    nodes = block.dfs(prune=lambda node: node is not block and isinstance(node, exp.Query) and not _is_join(node))
    kinds = (exp.Table, exp.Subquery, exp.UDTF)
    return [node for node in nodes if isinstance(node, kinds) and not _is_join(node) and _is_read(node)]


def _is_join(node: exp.Expr) -> bool:
    """`(a JOIN b)`: parentheses around a join, not a query."""
    return isinstance(node, exp.Subquery) and isinstance(_unwrap(node), exp.Table) and not node.alias


def _is_read(node: exp.Expr) -> bool:
    """Whether a node stands in FROM or JOIN, not in an expression or a LATERAL."""
    stops = (exp.From, exp.Join, exp.Lateral, exp.Select)
    while node.parent is not None and not isinstance(node.parent, stops):
        node = node.parent
    return isinstance(node.parent, (exp.From, exp.Join)) and node.arg_key == "this"


def _query_of(source: exp.Expr) -> exp.Expr | None:
    """The query behind a derived table or a reference to a CTE; None for a base relation."""
    if isinstance(source, exp.Table):
        cte = _cte_of(source)
        return _unwrap(cte.this) if cte is not None else None
    return _unwrap(source.this if isinstance(source, exp.Subquery) else source)


def _cte_of(table: exp.Table) -> exp.CTE | None:
    """The CTE that a table's name stands for: the innermost WITH wins, and a CTE sees those before it."""
    if len(_parts(table)) != 1:
        return None
    around = {id(node) for node in _ancestors(table)}
    for node in _ancestors(table):
        for owner in (node.args.get("with_"), node.args.get("with")):
            if isinstance(owner, exp.With):
                found = _visible(owner, table.name.lower(), around)
                if found is not None:
                    return found
    return None


def _visible(owner: exp.With, name: str, around: set[int]) -> exp.CTE | None:
    for cte in owner.expressions:
        if id(cte) in around and not owner.args.get("recursive"):
            return None
        if cte.alias.lower() == name:
            return cte  # type: ignore[no-any-return]
    return None


def _ancestors(node: exp.Expr) -> Iterator[exp.Expr]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _unwrap(query: exp.Expr | None) -> exp.Expr | None:
    while isinstance(query, exp.Subquery):
        query = query.this
    return query


def _parts(source: exp.Expr) -> list[exp.Expr]:
    """The identifiers of a table's name; empty for table functions and everything else."""
    if not isinstance(source, exp.Table):
        return []
    parts = [part for part in (source.args.get("catalog"), source.args.get("db"), source.this) if part is not None]
    return parts if all(isinstance(part, exp.Identifier) for part in parts) else []


def _table_name(source: exp.Expr) -> Name:
    return written_name(part.name for part in _parts(source))


def _relation(source: exp.Expr) -> Name:
    return measured_name(part.name for part in _parts(source))


def _is_called(source: exp.Expr, qualifier: Name) -> bool:
    return source_name(source)[-len(qualifier) :] == qualifier


def _renames(source: exp.Expr) -> bool:
    """`x(a, b)`: the alias, or the CTE, gives the columns new names."""
    cte = _cte_of(source) if isinstance(source, exp.Table) else None
    aliases = [node.args.get("alias") for node in (source, cte) if node is not None]
    return any(alias is not None and bool(alias.args.get("columns")) for alias in aliases)


def _column(expression: exp.Expr) -> exp.Column | None:
    """The bare column of one side of a predicate; casts are the planner's business."""
    while isinstance(expression, (exp.Paren, exp.Cast)):
        expression = expression.this
    return expression if isinstance(expression, exp.Column) else None


def _merge(pairs: Iterable[tuple[Origin, Origin]]) -> list[frozenset[Origin]]:
    """Equivalence classes of columns: equality is transitive."""
    classes: list[frozenset[Origin]] = []
    for pair in pairs:
        touched = [members for members in classes if not members.isdisjoint(pair)]
        classes = [members for members in classes if members not in touched]
        classes.append(frozenset(pair).union(*touched))
    return classes
