"""Reasons in words: a sentence with its numbers for each code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tuner.model.action import ActionKind
from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.units import format_hours
from tuner.words.advice import ADVICE
from tuner.words.counts import over_queries
from tuner.words.query_names import NO_NAMES, QueryNames
from tuner.words.standings import standing_words
from tuner.words.template import Numbers, filled, said

# A machine that is slower or faster than usual by less is not worth a word.
SAID_SPEED = 0.02
# More than this is said as such.
SAID_SURE = 0.99


def reason_words(reason: Reason, names: QueryNames = NO_NAMES) -> str:
    """The sentence of a reason. What an earlier version stored as a sentence is said as it is.

    A reason of another version may lack numbers that its sentence needs: it is said as its code and the numbers it has, as
    in "slower (seconds 16, run etl/1)".
    """
    if "said" in reason.numbers:
        return str(reason.numbers["said"])
    return said(lambda: _sentence(reason, names), reason.code, reason.numbers)


def status_words(decided: DecidedChange, names: QueryNames = NO_NAMES) -> str:
    """What is to be known of a change beside what it is for: what it came to, and what keeps it out; "" for nothing yet."""
    if decided.why != decided.change.reason:
        return why_words(decided, names)
    return _held_words(decided, names) if decided.held else ""


def why_words(decided: DecidedChange, names: QueryNames = NO_NAMES) -> str:
    """Why a change stands where it stands: what it is for or came to, and what keeps it out of this run."""
    why = reason_words(decided.why, names)
    return f"{why}; {_held_words(decided, names)}" if decided.held else why


def _held_words(decided: DecidedChange, names: QueryNames) -> str:
    if decided.held is None:
        return ""
    held = reason_words(decided.held, names)
    if decided.held.code is ReasonCode.MODE_SINCE:
        return held
    return f"{'proposed' if decided.standing is Standing.PROPOSED else 'held'}: {held}"


def _sentence(reason: Reason, names: QueryNames) -> str:
    template = ADVICE.get(reason.code) or _SENTENCES[reason.code]
    told: dict[str, object] = {"because": tuple(reason_words(because, names) for because in reason.because)}
    if query := reason.numbers.get("query"):
        told["query"] = names[str(query)]
    numbers: Numbers = {**reason.numbers, **told}
    return filled(template, numbers) if isinstance(template, str) else template(numbers)


def _measured(n: Numbers) -> str:
    """Against what they would have taken that night, as the run's log has it."""
    words = f"{over_queries(n['queries'], n['queries_not_named'])} took {{seconds}} instead of {{expected_seconds}}"
    words += _how_sure(n) if "gain_probability" in n else " (noise {noise:.0%})"
    if n["other_changes"]:
        words += ", together with {other_changes:other change}"
    speed = n["machine_speed"]
    if abs(speed - 1) >= SAID_SPEED:
        words += f", on a machine {abs(speed - 1):.0%} {'slower' if speed > 1 else 'faster'} than usual"
    return filled(words, {**n, "expected_seconds": _expected(n)})


def _expected(n: Numbers) -> float:
    return float(n["usual_seconds"] * n["machine_speed"])


def _how_sure(n: Numbers) -> str:
    """Where one night says otherwise than all runs together, it is told which is which."""
    has_gained = n["seconds"] < _expected(n)
    that_night, by_all = ("", "") if has_gained == (n["gain_probability"] > 0.5) else (" that night", " by all runs")
    return f"{that_night} ({_sure(n['gain_probability'])} of a gain{by_all})"


def _within_noise(n: Numbers) -> str:
    why = "not sure enough" if "gain_probability" in n else "within noise"
    return f"{_measured(n)}: {why}, so it is tried once more"


def _unlikely_gain(n: Numbers) -> str:
    return f"{_measured(n)}: a gain is unlikely, so it is not tried further"


def _secured(n: Numbers) -> str:
    return f"{_measured(n)}: not slower, and AQE can no longer be late"


def _slower(n: Numbers) -> str:
    which = "{query}" if n["named"] else "{query}, which the change does not target,"
    # An earlier version told the noise.
    how_sure = _sure(n["loss_probability"]) if "loss_probability" in n else "noise {noise:.0%}"
    return filled(f"slower: {which} took {{seconds}} instead of {{expected_seconds}} ({how_sure}) in run {{run}}", n)


def _allocated(n: Numbers, direction: str) -> str:
    held, without = (format_hours(n[name]) for name in ("core_hours", "expected_core_hours"))
    how_sure = f"{_sure(n['probability'])} of {direction}"
    return f"executors held {held} core-hours in run {n['run']}, about {without} without it ({how_sure})"


def _sure(probability: float) -> str:
    """Never all: no number of runs tells for certain."""
    return "over 99% sure" if probability > SAID_SURE else f"{probability:.0%} sure"


def _query_failed(n: Numbers) -> str:
    failure = ": {failure}" if n["failure"] else ""
    making = _MAKING[n.get("making", "its_own")]
    return filled(f"{{query}} succeeded before and failed with this change in run {{run}}{failure}{making}", n)


_MAKING = {
    "its_own": "",
    "nothing_new": "; no newer change can have caused it",
    "another": "; this change did not cause it and is tried once more",
    "suspected": "; this change may have caused it and is tried once more after a run without it",
    "no_trial_told": "; this change did not cause it, but none of its trials could be measured",
    "succeeded_without": "; the next run succeeded without it",
    "failed_twice": "; an earlier run with it failed, too, and the run after that succeeded without it",
}


def _run_failed(n: Numbers) -> str:
    after = "" if n["seconds"] is None else " after {seconds}"
    place = next((f" in {{{name}}}" for name in ("query", "where") if n[name]), "")
    failure = f": {{failure}}{place}" if n["failure"] else ""
    return filled(f"run {{run}} failed with this change{after}{failure}{_MAKING[n['making']]}", n)


def _not_followed(n: Numbers) -> str:
    if n["because"]:
        return f"{filled('{status} in run {run}', n)}: {n['because'][0]}"
    return filled("{status} in run {run}" + (": {why}" if n["why"] else ""), n)


_DID = {"approve": "approved", "reject": "rejected", "pin": "pinned", "rollback": "rolled back"}


def _ruling(n: Numbers, since: str = "") -> str:
    return filled(f"{_DID[n['ruling']]} by {{by}}{since}" + (": {reason}" if n["reason"] else ""), n)


def _ruled(n: Numbers) -> str:
    return "; ".join([_ruling(n), *n["because"]])


def _ruled_since(n: Numbers) -> str:
    if "mode" in n:
        return f"{_ruling(n)}; {filled('mode {mode} applies no changes', n)}"
    if not n["because"]:
        return _ruling(n, ", from the next run on")
    return f"{_ruling(n)}; {standing_words(Standing(n['standing']))}: {'; held: '.join(n['because'])}"


_FOR_PEOPLE = {
    ActionKind.SET_CONF: "set properties",
    ActionKind.HINT_JOIN: "hint joins",
    ActionKind.ORDER_JOINS: "reorder joins",
    ActionKind.ANALYZE_TABLE: "analyze tables",
}


def _left_to_people(n: Numbers) -> str:
    *others, last = (_FOR_PEOPLE[ActionKind(kind)] for kind in n["kinds"])
    return f"only a person can {' and '.join([*([', '.join(others)] if others else []), last])} here"


def _needed_change_out(n: Numbers) -> str:
    return f"it needs a new join order, which is {standing_words(Standing(n['standing']))}"


def _similar(n: Numbers) -> str:
    return filled("a similar change gained in {won} of {jobs:other job}", n)


def _lent(n: Numbers) -> str:
    up_to = "up to " if n["jobs"] > 1 else ""
    runs = filled(
        f"the same change to this query gained {up_to}{{seconds}} in {{jobs:other job}} ({{runs:run}} with it", n
    )
    return f"{runs}, {filled('last {days:day} ago', n) if n['days'] else 'today'})"


def _imported(n: Numbers) -> str:
    # Whose it was is not said to readers of other cohorts.
    of = " of {cohort}" if "cohort" in n else ""
    words = filled(f"imported from a baseline{of} exported as of {{as_of}}", n)
    if n["seconds"] is None:
        words += filled(": pinned there with Spark {spark_version}, its gain not measured", n)
    else:
        sure = "" if n["low_seconds"] is None else " ({low_seconds} to {high_seconds}, {runs:run})"
        words += filled(f": it gained {{seconds}} a run there{sure}, with Spark {{spark_version}}", n)
    return f"{words}; here: {n['because'][0]}" if n["because"] else words


_SENTENCES: Mapping[ReasonCode, str | Callable[[Numbers], str]] = {
    ReasonCode.FASTER: _measured,
    ReasonCode.SECURED: _secured,
    ReasonCode.WITHIN_NOISE: _within_noise,
    ReasonCode.SLOWER: _slower,
    ReasonCode.UNLIKELY_GAIN: _unlikely_gain,
    ReasonCode.NO_GAIN: "no gain beyond noise in {runs:run}",
    ReasonCode.ALLOCATED_MORE: partial(_allocated, direction="more"),
    ReasonCode.ALLOCATED_LESS: partial(_allocated, direction="less"),
    ReasonCode.LOSES_ON_SOME_NIGHTS: "{query} took {seconds} in run {run}, about {expected_seconds} without it; such nights cost "
    "more than it gained on all others",
    ReasonCode.HELD_OUT: "left out once, to compare: {query} took {seconds} in run {run}, about {expected_seconds} "
    "without it",
    ReasonCode.NO_RUN_WITHOUT: "left out once, to compare: most of run {run} had filter values that never ran without it",
    ReasonCode.LONG_IN_FORCE: "left out once, to compare: of the runs up to {run} that still count none was without it",
    ReasonCode.NEVER_WITHOUT: "left out once, to compare: this job never ran without it",
    ReasonCode.ONE_MORE_WITHOUT: "left out once, to compare: {runs:run} with it did not show whether it helps",
    ReasonCode.NEVER_MEASURED: "it could not be measured in {runs:run}",
    ReasonCode.QUERY_FAILED: _query_failed,
    ReasonCode.RUN_FAILED: _run_failed,
    ReasonCode.NOT_FOLLOWED: _not_followed,
    ReasonCode.HELD_OTHER_VALUES: "its filters have other values than those it was measured with",
    ReasonCode.HELD_LARGER_SIDE: "the side to hash or broadcast reads {bytes} now; the change applies up to {most_bytes}",
    ReasonCode.HELD_OTHER_SIZES: "one of the joined tables has {bytes} now; the order applies from {least_bytes} to {most_bytes}",
    ReasonCode.HELD_BETWEEN_SIZES: "one of the joined tables has {bytes} now; of the {ranges} ranges of sizes that the order "
    "applies in, the nearest is from {least_bytes} to {most_bytes}",
    ReasonCode.HELD_MORE_ROWS: "by the histogram of its column, a filter keeps {rows} or more; the order applies up to "
    "{most_rows}",
    ReasonCode.HELD_SMALL_SIDE: "Spark broadcasts a side of {bytes} by itself, as it does up to {most_bytes}",
    ReasonCode.HELD_WITH_ORDER: "the join order that it needs is held",
    ReasonCode.HELD_UNMEASURED_RESULT: "the rows that it would hash could not be counted first",
    ReasonCode.HELD_LARGE_RESULT: "what it would hash takes {bytes}, more than the {most_bytes} of memory there is for it",
    ReasonCode.RAISED: "run {run} died with {before}: {failure}",
    ReasonCode.NO_MORE_MEMORY: "run {run} died, and there is no more memory to give: {failure}",
    ReasonCode.RAISE_WORKED: lambda n: f"{n['because'][0]}; it worked in run {n['run']}",
    ReasonCode.SIZE_CUT: "none of {runs:run} needed more than {needed_bytes} at once (most in run {run})",
    ReasonCode.EXECUTORS_CUT: "with {needed} in place of {executors:executor}, tasks would have waited at most 2 % of the "
    "time in {runs:run}",
    ReasonCode.OVERHEAD_KEPT: "it stays as large as it was, though the heap is smaller",
    ReasonCode.NEW_TRIAL: "proven before, but runs now have {difference}, so it is on trial again",
    ReasonCode.RULED: _ruled,
    ReasonCode.RULED_SINCE: _ruled_since,
    ReasonCode.MODE_SINCE: "mode {mode} from the next run on",
    ReasonCode.MAY_LOSE: "it may lose {worst_loss_seconds}, more than the {allowed_seconds} allowed",
    ReasonCode.WON_ELSEWHERE: lambda n: f"{n['because'][0]}; {_similar(n)}",
    ReasonCode.LENT: lambda n: f"{n['because'][0]}; {_lent(n)}",
    ReasonCode.IMPORTED: _imported,
    ReasonCode.PROVEN_WITH_OTHER: "proven elsewhere, but runs here have {difference}: it waits for a person to approve it",
    ReasonCode.LOST_ELSEWHERE: _similar,
    ReasonCode.LOST_ALIKE: lambda n: f"{filled('a similar change ({value}) was tried', n)}: {n['because'][0]}",
    ReasonCode.LEFT_TO_PEOPLE: _left_to_people,
    ReasonCode.UNDIRECTABLE: "the agent cannot apply it: {why}",
    ReasonCode.WORSE_ON_OTHER_DAYS: "with the rows of one of its last {executions:execution} it would take {seconds} instead of "
    "{replaced_seconds}, and its filter values are new each time",
    ReasonCode.WORSE_WITHIN_REACH: "each run has other filter values, and with a few times fewer or more rows than its last "
    "{executions:execution} had it would take {seconds} instead of {replaced_seconds}",
    ReasonCode.OVERRULED: "the job itself sets {property}={value}",
    ReasonCode.RULED_ANOTHER: lambda n: f"another change in its place was {n['because'][0]}",
    ReasonCode.BROADCASTS_OFF: "the job switches broadcasts off ({property}=-1)",
    ReasonCode.NOT_DETERMINISTIC: "{query} is not deterministic ({what}): the change could alter its rows",
    ReasonCode.KEPT_BY_CHECKPOINT: "a stream of the job keeps state: {property} could say where that lies, for as long as "
    "its checkpoint is used",
    ReasonCode.OVERSIZED: "its hash table has grown to {bytes}, more than the {most_bytes} allowed",
    ReasonCode.OTHER_VALUES_IN_EACH_RUN: "its queries had other filter values in each of the last {runs:run}: it could "
    "not be measured",
    ReasonCode.QUERIES_DO_NOT_COME_BACK: "new queries of this job hardly ever come back: it could not be measured",
    ReasonCode.ON_TRIAL_IN_ANOTHER_RUN: "run {run} is trying it",
    ReasonCode.VALUES_OF_OTHERS: "it is for filter values of other mapped instances: the one that has these tries it",
    ReasonCode.REORDERED_FIRST: "another join order is tried first in one of its queries",
    ReasonCode.NOT_IN_ORDER: "it was advised from a run without the join order of its query, which leaves no such join",
    ReasonCode.TRIED_AFTER_ANOTHER: "another change is tried first in one of its queries",
    ReasonCode.NEEDED_CHANGE_OUT: _needed_change_out,
    ReasonCode.NEW_CONTEXT: "first run with {difference}: observed, as a baseline for later runs",
    ReasonCode.FIRST_RUN: "first run: observed",
    ReasonCode.NOTHING_HARVESTED: "no earlier run's log has been read: observed",
    ReasonCode.ONLY_PROVEN_ON_RETRY: "try {try_number} may be the last, so only what is proven is in force",
    ReasonCode.RETRY_AFTER_FAILURE: "try {try_number}: an earlier try with changes failed, so this one runs without changes",
    ReasonCode.CHANGES_SUSPECTED: "run {run} failed with {changes:change}, so this one runs without any, to find the cause",
    ReasonCode.UNSTEERED: lambda n: filled("{why}: runs without changes" if n["why"] else "runs without changes", n),
    ReasonCode.UNOBSERVED: "{why}: runs without changes and is not observed",
}
