"""A retry carries only what is proven, as a rule."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def proven_on_retry(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds trials on a retry, whatever ended the try before: it may be the last. Where none but retries tell, what none carried
    would be on trial for ever: there one that is not the last carries them."""
    if situation.try_number <= 1 or situation.may_try_again:
        return list(decided)
    why = Reason(ReasonCode.ONLY_PROVEN_ON_RETRY, {"try_number": situation.try_number})
    return [held_back(d, why) if d.standing is Standing.TRIAL else d for d in decided]
