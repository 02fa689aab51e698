"""Reasons in words: a sentence with its numbers for each code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.units import format_bytes, format_seconds
from tuner.words.advice import ADVICE
from tuner.words.counts import over_queries
from tuner.words.failures import failed_in
from tuner.words.query_names import NO_NAMES, QueryNames
from tuner.words.standings import standing_words

# A machine that is slower or faster than usual by less is not worth a word.
SAID_SPEED = 0.02

Numbers = Mapping[str, Any]
_Sentence = Callable[[Reason, QueryNames], str]


def reason_words(reason: Reason, names: QueryNames = NO_NAMES) -> str:
    """The sentence of a reason. What an earlier version stored as a sentence is said as it is."""
    if "said" in reason.numbers:
        return str(reason.numbers["said"])
    if reason.code in ADVICE:
        return ADVICE[reason.code](reason.numbers)
    return _SENTENCES[reason.code](reason, names)


def why_words(decided: DecidedChange, names: QueryNames = NO_NAMES) -> str:
    """Why a change stands where it stands: what it is for or came to, and what keeps it out of this run."""
    said = reason_words(decided.why, names)
    if decided.held is None:
        return said
    if decided.held.code is ReasonCode.MODE_SINCE:
        return f"{said}; {reason_words(decided.held, names)}"
    return f"{said}; {'proposed' if decided.standing is Standing.PROPOSED else 'held'}: {reason_words(decided.held, names)}"


def _measured(n: Numbers) -> str:
    seconds = f"{format_seconds(n['usual_seconds'])} became {format_seconds(n['seconds'])}"
    words = f"{seconds} over {over_queries(n['queries'], n['queries_not_named'])}"
    if others := n["other_changes"]:
        words += f", together with {others} other change{'s' if others > 1 else ''}"
    speed = n["machine_speed"]
    if abs(speed - 1) < SAID_SPEED:
        return words
    return f"{words}, on a machine {abs(speed - 1):.0%} {'slower' if speed > 1 else 'faster'} than usual"


def _slower(n: Numbers) -> str:
    query = "a query" if n["named"] else "a query it was not meant for"
    seconds = f"{format_seconds(n['seconds'])} instead of {format_seconds(n['expected_seconds'])}"
    return f"slower: {query} took {seconds} (noise {n['noise']:.0%}) in run {n['run']}"


def _query_failed(n: Numbers) -> str:
    failure = f": {n['failure']}" if n["failure"] else ""
    return f"a query that succeeded before failed with it in run {n['run']}{failure}"


_MAKING = {
    "its_own": "",
    "nothing_new": "; nothing new can have made it",
    "another": ": not of its making, tried once more",
    "no_trial_told": "; not of its making, but no trial told anything of it",
    "succeeded_without": "; succeeded without it",
    "failed_twice": ", as the run with it before did; succeeded without it",
}


def _run_failed(n: Numbers, names: QueryNames) -> str:
    after = "" if n["seconds"] is None else f" after {format_seconds(n['seconds'])}"
    failure = f": {failed_in(n['failure'], n['query'], n['where'], names)}" if n["failure"] else ""
    return f"run {n['run']} {'broke off' if n['broke_off'] else 'failed'} with it{after}{failure}{_MAKING[n['making']]}"


def _ruled(reason: Reason, names: QueryNames) -> str:
    n = reason.numbers
    said = f"{n['ruling']} by {n['by']}" + (f": {n['reason']}" if n["reason"] else "")
    return "; ".join([said, *(reason_words(because, names) for because in reason.because)])


_DID = {"approve": "approved", "reject": "rejected", "pin": "pinned", "rollback": "rolled back"}


def _ruled_since(reason: Reason, names: QueryNames) -> str:
    n = reason.numbers
    words = f"{_DID[str(n['ruling'])]} by {n['by']}" + (f": {n['reason']}" if n["reason"] else "")
    if "mode" in n:
        return f"{words}; mode {n['mode']} applies nothing"
    if not reason.because:
        return f"{words}, from the next run on"
    standing = Standing(str(n["standing"]))
    why, *held = (reason_words(because, names) for because in reason.because)
    return f"{words}; {standing_words(standing)}: {'; held: '.join([why, *held])}"


def _needed_change_out(n: Numbers) -> str:
    return f"belongs with {n['target']}, which is {n['standing']}"


def _left_to_people(n: Numbers) -> str:
    return f"only a person can carry out {', '.join(n['kinds'])}"


def _jobs(n: Numbers) -> str:
    total = n["won"] + n["lost"]
    return f"won in {n['won']} of {total} other job{'s' if total > 1 else ''}"


def _not_followed(n: Numbers) -> str:
    return f"{n['status']} in run {n['run']}" + (f": {n['why']}" if n["why"] else "")


def _not_deterministic(n: Numbers, names: QueryNames) -> str:
    return f"{names[n['query']]} is not deterministic ({n['what']}): its rows could change"


def _oversized(n: Numbers) -> str:
    return f"its hash relation has grown to {format_bytes(n['bytes'])}, the most is {format_bytes(n['most_bytes'])}"


def _may_lose(n: Numbers) -> str:
    loss, allowed = format_seconds(n["worst_loss_seconds"]), format_seconds(n["allowed_seconds"])
    return f"may lose {loss}, more than the {allowed} allowed"


def _by_numbers(words: Callable[[Numbers], str]) -> _Sentence:
    return lambda reason, names: words(reason.numbers)


def _by_names(words: Callable[[Numbers, QueryNames], str]) -> _Sentence:
    return lambda reason, names: words(reason.numbers, names)


_SENTENCES: Mapping[ReasonCode, _Sentence] = {
    ReasonCode.FASTER: _by_numbers(_measured),
    ReasonCode.WITHIN_NOISE: _by_numbers(lambda n: f"{_measured(n)}: within noise ({n['noise']:.0%}), tried once more"),
    ReasonCode.SLOWER: _by_numbers(_slower),
    ReasonCode.NO_GAIN: _by_numbers(lambda n: f"no gain beyond noise in {n['runs']} runs"),
    ReasonCode.NEVER_MEASURED: _by_numbers(lambda n: f"could not be measured in {n['runs']} runs"),
    ReasonCode.QUERY_FAILED: _by_numbers(_query_failed),
    ReasonCode.RUN_FAILED: _by_names(_run_failed),
    ReasonCode.NOT_FOLLOWED: _by_numbers(_not_followed),
    ReasonCode.NEW_TRIAL: _by_numbers(lambda n: f"proven before; {n['difference']}: on trial again"),
    ReasonCode.RULED: _ruled,
    ReasonCode.RULED_SINCE: _ruled_since,
    ReasonCode.MODE_SINCE: _by_numbers(lambda n: f"mode {n['mode']} from the next run on"),
    ReasonCode.MAY_LOSE: _by_numbers(_may_lose),
    ReasonCode.WON_ELSEWHERE: lambda r, names: f"{reason_words(r.because[0], names)}; such a change {_jobs(r.numbers)}",
    ReasonCode.LOST_ELSEWHERE: _by_numbers(lambda n: f"such a change {_jobs(n)}"),
    ReasonCode.LOST_ALIKE: lambda r, names: f"{r.numbers['value']} was tried: {reason_words(r.because[0], names)}",
    ReasonCode.LEFT_TO_PEOPLE: _by_numbers(_left_to_people),
    ReasonCode.UNDIRECTABLE: _by_numbers(lambda n: f"the agent cannot be told: {n['why']}"),
    ReasonCode.OVERRULED: _by_numbers(lambda n: f"{n['property']}={n['value']} is the job's own setting"),
    ReasonCode.BROADCASTS_OFF: _by_numbers(lambda n: f"the job's own {n['property']}=-1"),
    ReasonCode.NOT_DETERMINISTIC: _by_names(_not_deterministic),
    ReasonCode.OVERSIZED: _by_numbers(_oversized),
    ReasonCode.ON_TRIAL_IN_ANOTHER_RUN: _by_numbers(lambda n: f"run {n['run']} is trying it"),
    ReasonCode.REORDERED_FIRST: _by_numbers(
        lambda n: "the joins of a query it is for are tried in another order first"
    ),
    ReasonCode.TRIED_AFTER_ANOTHER: _by_numbers(lambda n: "another change to a query it is for is tried first"),
    ReasonCode.NEEDED_CHANGE_OUT: _by_numbers(_needed_change_out),
    ReasonCode.NEW_CONTEXT: _by_numbers(lambda n: f"{n['difference']}, so this run is observed, to be compared with"),
    ReasonCode.FIRST_RUN: _by_numbers(lambda n: "first run: observed"),
    ReasonCode.NOTHING_HARVESTED: _by_numbers(lambda n: "nothing harvested yet: observed"),
    ReasonCode.RETRY_AFTER_FAILURE: _by_numbers(
        lambda n: f"try {n['try_number']} after a failed try with changes: runs unsteered"
    ),
    ReasonCode.PROVEN_CHANGES_SUSPECTED: _by_numbers(
        lambda n: f"run {n['run']} failed with {n['changes']} proven changes: runs unsteered, to tell why"
    ),
    ReasonCode.UNSTEERED: _by_numbers(lambda n: f"{n['why']}: runs unsteered" if n.get("why") else "runs unsteered"),
    ReasonCode.UNOBSERVED: _by_numbers(lambda n: f"{n['why']}: runs unobserved and unsteered"),
}
