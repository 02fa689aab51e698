"""`Work` handed on piece by piece, put together again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tuner.model.application import Application, Execution, Job, Stage, Work


@dataclass(slots=True)
class Collector:
    """Takes work in any order; `into` an application it is in the order of the ids."""

    executions: list[Execution] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)

    def take(self, work: Work) -> None:
        if work.execution:
            self.executions.append(work.execution)
        self.jobs.extend(work.jobs)
        self.stages.extend(work.stages)

    def into(self, application: Application) -> Application:
        return replace(
            application,
            executions=tuple(sorted(self.executions, key=lambda e: e.execution_id)),
            jobs=tuple(sorted(self.jobs, key=lambda j: j.job_id)),
            stages=tuple(sorted(self.stages, key=lambda s: (s.stage_id, s.attempt))),
        )
