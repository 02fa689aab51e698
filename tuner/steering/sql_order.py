"""The order in which a FROM clause joins: which join a hint lands on, and when it pins a cross product.

Spark puts inner joins written with commas into an order where each has a condition (ReorderJoin), but keeps out of a
join that carries a hint. That one, and all that stands before it in the clause, is then executed as written: when the
conditions have moved down past the hint, projections stand between the joins and ReorderJoin cannot see them as one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

Tie = frozenset[int]


@dataclass(frozen=True, slots=True)
class Joined:
    """Two inputs of a FROM clause, each a source's id or joined itself; `conditional` if ON or USING ties them."""

    left: Joined | int
    right: Joined | int
    conditional: bool


def hinted_join(block: exp.Select, source: exp.Expr, *, commas_last: bool) -> Joined | None:
    """The join that a hint on `source` lands on: the first that the clause joins it in; None if there is none.

    `commas_last`: what commas separate is joined after what JOIN joins, as in Spark; sqlglot shows CROSS JOIN as a
    comma, so False where the text has any.
    """
    return _join_of(id(source), _from_clause(block, commas_last=commas_last))


def partners(join: Joined, source: exp.Expr) -> frozenset[int]:
    """The sources (ids) that the join brings together with this one."""
    return _leaves(join) - {id(source)}


def has_product(tree: Joined | int, ties: Collection[Tie]) -> bool:
    """Whether some join here has no condition. `ties` are pairs of sources that the statement's equalities compare."""
    if isinstance(tree, int):
        return False
    left, right = _leaves(tree.left), _leaves(tree.right)
    tied = tree.conditional or any(tie & left and tie & right for tie in ties)
    return not tied or has_product(tree.left, ties) or has_product(tree.right, ties)


def _from_clause(block: exp.Select, *, commas_last: bool) -> Joined | int:
    groups = [_input(clause.this) for clause in block.args.values() if isinstance(clause, exp.From)]
    for join in block.args.get("joins") or ():
        if commas_last and _is_comma(join):
            groups.append(_input(join.this))
        else:
            groups[-1] = Joined(groups[-1], _input(join.this), _has_condition(join))
    return _in_turn(groups)


def _input(source: exp.Expr) -> Joined | int:
    """A source, or what parentheses or nested ON clauses join first."""
    inner = source
    while isinstance(inner, exp.Subquery) and not inner.alias and isinstance(inner.this, (exp.Subquery, exp.Table)):
        inner = inner.this
    joined: Joined | int = id(inner)
    for join in inner.args.get("joins") or ():
        joined = Joined(joined, _input(join.this), _has_condition(join))
    return joined


def _in_turn(inputs: Sequence[Joined | int]) -> Joined | int:
    joined = inputs[0]
    for other in inputs[1:]:
        joined = Joined(joined, other, conditional=False)
    return joined


def _is_comma(join: exp.Expr) -> bool:
    return join.args.get("kind") == "CROSS" and not join.args.get("side")


def _has_condition(join: exp.Expr) -> bool:
    """USING, NATURAL, or an ON that compares columns."""
    on = join.args.get("on")
    equalities = on.find_all(exp.EQ, exp.NullSafeEQ) if on is not None else ()
    compares = any(len(list(equality.find_all(exp.Column))) > 1 for equality in equalities)
    return compares or bool(join.args.get("using")) or join.args.get("method") == "NATURAL"


def _join_of(leaf: int, tree: Joined | int) -> Joined | None:
    if isinstance(tree, int):
        return None
    if leaf in (tree.left, tree.right):
        return tree
    return _join_of(leaf, tree.left) or _join_of(leaf, tree.right)


def _leaves(tree: Joined | int) -> frozenset[int]:
    return frozenset((tree,)) if isinstance(tree, int) else _leaves(tree.left) | _leaves(tree.right)
