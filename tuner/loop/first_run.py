"""The first run of a cohort, with what others have proven."""

from __future__ import annotations

from datetime import UTC, datetime

from tuner.history.store import Store
from tuner.loop.event_log_place import EventLogPlace
from tuner.loop.steered import Steered, submit_conf
from tuner.loop.turn import JobToRun
from tuner.model.decision import Decision
from tuner.model.proof import MOST_AGE
from tuner.policy.lent_changes import lent_changes
from tuner.steering.lent_directives import lent_by_agent
from tuner.steering.steering_method import choose_method

# Of so many queries that others run a first run is told: those that gained most there.
MOST_LENT = 200


def lent_to_first_run(store: Store, job: JobToRun, place: EventLogPlace) -> Steered | None:
    """The first run of a cohort with what others have proven; None where there is nothing, or no agent to carry it out."""
    way = choose_method(job.steering, job.submission, "")
    if way.route is None or not job.borrows:
        return None
    now = datetime.now(UTC)
    proofs = store.proofs(job.cohort, now - MOST_AGE, MOST_LENT)
    if not proofs:
        return None
    found = lent_changes(
        proofs,
        *store.said_of({proof.cohort for proof in proofs}),
        store.verdicts(job.cohort),
        now=now,
        spark_version=job.submission.spark_version,
        conf={**job.submission.conf, **job.user_conf},
    )
    directives, carried = lent_by_agent(found, job.user_conf, way.route, job.order_sensitive)
    if not carried:
        return None
    lent = tuple(d for one in carried for d in one.changes)
    decision = Decision(job.mode, (), lent=lent, objective=job.objective)
    return Steered(decision, directives, submit_conf(job, decision, directives, place))
