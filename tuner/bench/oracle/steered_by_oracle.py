"""What the agent is told to carry out an oracle's choices, from the run that told what there is to choose."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tuner.advice.steering_reach import Reach
from tuner.bench.bench_run import Workload
from tuner.bench.oracle.oracle_choice import OracleChoice, oracle_choices
from tuner.bench.oracle.oracle_words import choice_lines, skipped_lines
from tuner.bench.oracle.set_counts import CountLimits
from tuner.bench.oracle.true_rows import TrueQuery, true_rows
from tuner.cost.learned.calibrated_model import calibrated_model, configured_model
from tuner.cost.learned.query_samples import samples
from tuner.history.outcome import outcome_of
from tuner.loop.next_decision import facts_of
from tuner.model.application import Application
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.run import Outcome
from tuner.plan.queries import queries
from tuner.policy.literal_classes import LiteralClasses
from tuner.steering.agent.agent_directives import agent_directives
from tuner.units import format_seconds
from tuner.words.query_names import QueryNames


@dataclass(frozen=True, slots=True)
class OracleSteering:
    """`message` is for the agent, "" where nothing is better than the defaults; `said` tells what was chosen, and why."""

    message: str
    said: tuple[str, ...]


def steered_by_oracle(workload: Workload, application: Application, limits: CountLimits) -> OracleSteering:
    """Counts what the queries of a run join, and chooses for each block what takes the fewest seconds with these rows.

    Prices are those that the tuner would have after this run. Nothing is learned from any other.
    """
    outcome = outcome_of(application, queries(application))
    started = time.monotonic()
    counted = list(true_rows(workload, outcome.queries, limits))
    counting = time.monotonic() - started
    choices = _choices(outcome, counted)
    # It acts on the values that were counted alone.
    classes = LiteralClasses()
    decided = [
        DecidedChange(c, Standing.PINNED, c.reason, literals=(classes.of(choice.query),))
        for choice in choices
        for c in choice.changes
    ]
    directives = agent_directives(Decision(Mode.AUTO, tuple(decided)), outcome.queries)
    return OracleSteering(
        directives.text,
        (
            *choice_lines(counted, choices),
            f"counting took {format_seconds(counting)}, choosing {format_seconds(time.monotonic() - started - counting)}",
            *skipped_lines(directives.skipped, QueryNames(outcome.queries)),
        ),
    )


def _choices(outcome: Outcome, counted: Sequence[TrueQuery]) -> list[OracleChoice]:
    """Of the queries with a block that was counted; the others run by default."""
    model = calibrated_model(samples(outcome.queries, outcome.cluster), configured_model())
    known = [query for query in counted if query.blocks]
    true = replace(outcome, queries=tuple(query.query for query in known))
    facts = facts_of(true, (), model, Reach.AGENT)
    return oracle_choices(facts, {query.query.fingerprint: query.at_least for query in known})
