"""What makes estimates wrong: columns that depend on one another, and few rows that most others belong to."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.bench.workloads.joins.test_catalogue import one

ORIGIN = "title AS t JOIN country AS n ON n.id = t.country_id"
COMPANIES = f"{ORIGIN} JOIN title_company AS tc ON tc.title_id = t.id JOIN company AS c ON c.id = tc.company_id"
PERSONS = "title AS t JOIN credit AS cr ON cr.title_id = t.id JOIN person AS p ON p.id = cr.person_id"
GENRES = "title AS t JOIN title_genre AS tg ON tg.title_id = t.id JOIN genre AS g ON g.id = tg.genre_id"
WORDS = f"{GENRES} JOIN title_keyword AS tw ON tw.title_id = t.id JOIN keyword AS k ON k.id = tw.keyword_id"
FACTS = "title AS t JOIN title_attribute AS ta ON ta.title_id = t.id"
AWARDS = f"{ORIGIN} JOIN title_award AS aw ON aw.title_id = t.id JOIN award AS a ON a.id = aw.award_id"
ROLES = "credit AS cr JOIN person AS p ON p.id = cr.person_id"

# What is joined, two conditions on it, and how many times as often both hold as if they were independent.
TOGETHER = [
    pytest.param(ORIGIN, "n.code = 'kr'", "t.language_id = 8", 15, id="language follows from country"),
    pytest.param(COMPANIES, "n.code = 'jp'", "c.country_id = 4", 10, id="companies are of the title's country"),
    pytest.param(PERSONS, "t.country_id = 9", "p.country_id = 9", 10, id="persons are of the title's country"),
    pytest.param(FACTS, "t.release_year < 1930", "ta.value = 'silent'", 10, id="values follow from years"),
    pytest.param(FACTS, "t.country_id = 8", "ta.value = 'South Korea'", 10, id="values follow from countries"),
    pytest.param(AWARDS, "n.code = 'es'", "a.country_id = 10", 10, id="awards are of the title's country"),
    pytest.param(WORDS, "g.name = 'western'", "k.genre_id = 18", 3, id="keywords follow from genre"),
    pytest.param(GENRES, "t.country_id = 4 AND t.release_year > 2000", "g.id = 11", 3, id="genre follows from both"),
    pytest.param(ROLES, "cr.role_id = 6", "p.main_role_id = 6", 10, id="persons keep to their trade"),
]
APART = [
    pytest.param(COMPANIES, "t.release_year < 1950", "c.founded > 1993", 0.3, id="companies are of the title's years"),
    pytest.param(PERSONS, "t.release_year < 1950", "p.birth_year > 1965", 0.3, id="persons are of the title's years"),
    pytest.param(
        FACTS, "t.release_year > 2000", "ta.value = 'black and white'", 0.1, id="colours are of the title's years"
    ),
]


def times_as_often(connection: Any, joined: str, one_condition: str, other_condition: str) -> float:
    both, first, second = connection.execute(
        f"SELECT avg(({one_condition} AND {other_condition})::INTEGER), avg(({one_condition})::INTEGER), "
        f"avg(({other_condition})::INTEGER) FROM {joined}"
    ).fetchone()
    return float(both / (first * second))


@pytest.mark.parametrize(("joined", "first", "second", "least"), TOGETHER)
def test_both_hold_more_often_than_if_independent(
    connection: Any, joined: str, first: str, second: str, least: float
) -> None:
    assert times_as_often(connection, joined, first, second) > least


@pytest.mark.parametrize(("joined", "first", "second", "most"), APART)
def test_both_hold_less_often_than_if_independent(
    connection: Any, joined: str, first: str, second: str, most: float
) -> None:
    assert times_as_often(connection, joined, first, second) < most


def test_four_conditions_are_a_thousand_times_as_likely_as_if_independent(connection: Any) -> None:
    conditions = ("n.code = 'kr'", "t.language_id = 8", "c.country_id = 8", "p.country_id = 8")
    joined = f"{COMPANIES} JOIN credit AS cr ON cr.title_id = t.id JOIN person AS p ON p.id = cr.person_id"
    shares = connection.execute(
        f"SELECT avg(({' AND '.join(conditions)})::INTEGER), "
        f"{', '.join(f'avg(({condition})::INTEGER)' for condition in conditions)} FROM {joined}"
    ).fetchone()
    assert shares[0] / math.prod(shares[1:]) > 1000


@pytest.mark.parametrize(
    "table",
    [
        "credit", "title_attribute", "title_keyword", "title_company", "title_release", "title_rating", "title_name",
        "title_award", "title_link",
    ],
)  # fmt: skip
def test_the_same_tenth_of_titles_has_most_rows_of_every_table(connection: Any, table: str) -> None:
    famous = "SELECT title_id FROM credit GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1000"
    share = one(connection, f"SELECT avg((title_id IN ({famous}))::INTEGER) FROM {table}")
    assert 0.55 < share < 0.7


def test_the_fan_out_of_credits_falls_by_zipfs_law(connection: Any) -> None:
    """The logarithm of credits over that of the rank, shifted as in Mandelbrot's law, has a slope of -1."""
    slope, correlation, most = connection.execute(
        "SELECT regr_slope(ln(rows), ln(place + 20)), corr(ln(rows), ln(place + 20)), max(rows) FROM ("
        "SELECT count(*) AS rows, row_number() OVER (ORDER BY count(*) DESC) AS place FROM credit GROUP BY title_id"
        ") WHERE place <= 3000"
    ).fetchone()
    assert slope == pytest.approx(-1, abs=0.05)
    assert correlation < -0.99
    assert 800 < most < 1000


@pytest.mark.parametrize(
    ("table", "column", "things"),
    [
        ("title", "kind_id", 7),
        ("title_company", "company_kind_id", 4),
        ("title_attribute", "attribute_kind_id", 24),
        ("title_rating", "rating_source_id", 6),
        ("title_link", "link_kind_id", 8),
    ],
)
@pytest.mark.parametrize("places", [1, 3])
def test_kinds_follow_zipfs_law(connection: Any, table: str, column: str, things: int, places: int) -> None:
    share = one(connection, f"SELECT avg(({column} <= {places})::INTEGER) FROM {table}")
    assert share == pytest.approx(math.log(places + 1) / math.log(things + 1), abs=0.035)


def test_few_companies_and_persons_have_much(connection: Any) -> None:
    for table, column, hundredth in (("title_company", "company_id", 6), ("credit", "person_id", 80)):
        top = f"SELECT count(*) AS rows FROM {table} GROUP BY {column} ORDER BY 1 DESC LIMIT {hundredth}"
        assert one(connection, f"SELECT sum(rows) / (SELECT count(*) FROM {table}) FROM ({top})") > 0.15
