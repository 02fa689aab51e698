"""How often a query took clearly longer than by default, beside how often the defaults themselves do."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.bench.bench_result import BenchResult, ContenderResult

# Longer by less than this is within what one run differs from the next on the machines that benches run on.
CLEARLY = 1.2


@dataclass(frozen=True, slots=True)
class SlowExecutions:
    """Of `executions` of queries, `slow` took over 1.2 times what the defaults took in the nearest round."""

    slow: int
    executions: int

    @property
    def share(self) -> float:
        return self.slow / self.executions if self.executions else 0.0


def slow_executions(result: BenchResult, contender: ContenderResult) -> SlowExecutions:
    """Those of a contender in all of its rounds; those of the defaults against the next round, where they ran in that, too: an
    hour later the machine itself may be another one.

    What failed took no time that could be compared.
    """
    default = result.contenders[0]
    rounds = [run.number for run in default.runs]
    slow = executions = 0
    for mine, base in zip(contender.queries, default.queries, strict=True):
        for run, seconds in zip(contender.runs, mine.seconds, strict=True):
            others = [n for n in rounds if contender is not default or abs(n - run.number) == 1]
            nearest = min(others, key=lambda n: (abs(n - run.number), n), default=None)
            usual = base.seconds[rounds.index(nearest)] if nearest is not None else None
            if seconds is not None and usual is not None:
                executions += 1
                slow += seconds > CLEARLY * usual
    return SlowExecutions(slow, executions)
