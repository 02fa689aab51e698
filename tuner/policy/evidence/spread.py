"""How far values of one kind are off from run to run: learned, from what is usual of queries anywhere."""

from __future__ import annotations

from dataclasses import dataclass

# What is usual counts as so many runs.
USUAL_COUNTS = 8
# A stray value counts as one that is off by so many standard deviations.
MOST = 3.0


@dataclass(slots=True)
class Spread:
    """A variance, held to what is usual by an inverse gamma distribution."""

    usual: float
    _squares: float = 0.0
    _count: float = 0.0

    def add(self, error: float, known: float) -> None:
        """An error, of which `known` is the variance that comes from elsewhere."""
        most = (MOST**2) * (self.variance + known)
        self._squares += max(0.0, min(error**2, most) - known)
        self._count += 1

    def add_one_of_many(self, error: float, known: float) -> None:
        """As `add`, where others tell more: it counts by the share that it tells of, and one that tells nothing does not."""
        share = self.variance / (self.variance + known)
        self.add_estimate(share * error, share * known, share)

    def add_estimate(self, mean: float, variance: float, count: float = 1.0) -> None:
        """An error as it is estimated, with how unsure that is: one of which nothing was told leaves the spread as it is."""
        self._squares += count * min(mean**2 + variance, MOST**2 * self.variance)
        self._count += count

    @property
    def variance(self) -> float:
        return (USUAL_COUNTS * self.usual**2 + self._squares) / (USUAL_COUNTS + self._count)
