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

    def add(self, error: float, known: float, count: float = 1.0) -> None:
        """An error, of which `known` is the variance that comes from elsewhere; it counts as so many."""
        most = (MOST**2) * (self.variance + known)
        self._squares += count * max(0.0, min(error**2, most) - known)
        self._count += count

    def told(self, other: float) -> float:
        """As how many an error counts, of which so much variance is of another kind than what is learned here: by its precision
        (the share squared), and by the share once more, since `add` takes what is below 0 for 0, the more the smaller that is."""
        return (self.variance / (self.variance + other)) ** 3

    def add_estimate(self, mean: float, variance: float) -> None:
        """An error as it is estimated, with how unsure that is: one of which nothing was told leaves the spread as it is."""
        self._squares += min(mean**2 + variance, MOST**2 * self.variance)
        self._count += 1

    @property
    def variance(self) -> float:
        return (USUAL_COUNTS * self.usual**2 + self._squares) / (USUAL_COUNTS + self._count)
