"""What other jobs lend, as directives for the first run of one that nothing is known of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tuner.model.agent_message import MAX_DIRECTIVES, SealedDirectives, encode_message
from tuner.plan.sealed_directives import seal
from tuner.policy.lent_changes import Lent
from tuner.steering.agent.handover import hand_over
from tuner.steering.agent.route import Route
from tuner.steering.directives import Directives, Steering
from tuner.steering.order_sensitive import PROPERTY, OrderSensitive

# What is read by the driver before its first plan, in some ms.
MOST_CHARACTERS = 400_000
# Around the entries of a message, and between them.
_AROUND = 100


def lent_by_agent(
    found: Sequence[Lent], user_conf: Mapping[str, str], route: Route, order_sensitive: OrderSensitive
) -> tuple[Directives, list[Lent]]:
    """The directives, and what of it they carry: as much as a message takes, what comes first. Raises TunerError where the agent
    cannot be handed over."""
    submission = route.submission
    most = MOST_CHARACTERS if submission.uploads else submission.most_characters
    carried: list[Lent] = []
    sealed: list[SealedDirectives] = []
    characters = _AROUND
    for lent in found[:MAX_DIRECTIVES]:
        one = seal(lent.directives)
        size = len(one.body) + _AROUND
        if characters + size > most:
            continue
        characters += size
        carried.append(lent)
        sealed.append(one)
    if not carried:
        return Directives(), []
    handover = hand_over(route, encode_message((), tuple(sealed)))
    stricter = order_sensitive is not OrderSensitive.STABLE and PROPERTY not in user_conf
    conf = {**handover.conf, **({PROPERTY: order_sensitive} if stricter else {})}
    merged = dict(handover.merged)
    return Directives(conf=conf, merged=merged, steering=Steering.AGENT, fetched_jar=route.fetched_jar), carried
