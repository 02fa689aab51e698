"""The tables of companies, persons, personas, keywords and titles."""

from __future__ import annotations

from tuner.bench.workloads.joins.likely import own_or_other
from tuner.bench.workloads.joins.listed import COUNTRIES, GENRES, LANGUAGES, TITLE_KINDS
from tuner.bench.workloads.joins.placement import ERAS
from tuner.bench.workloads.joins.table import Column, Table

_COUNTRY_BY_PLACE = (
    Column("_quantile", "(id - 0.5) / rows_of_{table}()"),
    Column("country_id", "country_at(_quantile)", "country"),
    Column("_within", f"within_country(_quantile, country_id) * {ERAS}"),
    Column("_era", "floor(_within)::INTEGER"),
)


def _by_place(table: str) -> tuple[Column, ...]:
    return tuple(
        Column(column.name, column.drawn.format(table=table), column.references) for column in _COUNTRY_BY_PLACE
    )


WHOLE_TABLES = (
    Table(
        "company",
        "c",
        (
            *_by_place("company"),
            Column("founded", "([1905, 1960, 1993][_era + 1] + floor(u(id, 'founded') * 30))::INTEGER"),
            Column(
                "name",
                "concat_ws(' ', pick(adjectives(), u(id, 'first word')), pick(nouns(), u(id, 'second word')), "
                "pick(company_words(), u(country_id, 'word of a country') * 0.5 + u(id, 'third word') * 0.5))",
            ),
        ),
        rows=60_000,
    ),
    Table(
        "person",
        "p",
        (
            *_by_place("person"),
            Column("_weight", "weight(_within - _era)"),
            Column("birth_year", "([1880, 1925, 1965][_era + 1] + floor(u(id, 'born') * 35))::INTEGER"),
            Column(
                "gender",
                "CASE WHEN u(id, 'gender known') < 0.1 THEN NULL WHEN u(id, 'gender') < 0.38 THEN 'f' ELSE 'm' END",
            ),
            Column("main_role_id", "trade_of_person(id)", "role"),
            Column(
                "name",
                "families()[1 + (country_id * 7 + zipf(12, u(id, 'family'))) % len(families())] || ', ' || "
                "CASE WHEN gender = 'f' THEN pick(given_f(), u(id, 'given')) ELSE pick(given_m(), u(id, 'given')) END",
            ),
        ),
        rows=800_000,
    ),
    Table(
        "persona",
        "pa",
        (
            Column(
                "name",
                "pick(adjectives(), u(id, 'first word')) || ' ' || pick(given_m(), u(id, 'given')) || "
                "CASE WHEN u(id, 'numbered') < 0.3 THEN ' ' || (1 + id % 9)::VARCHAR ELSE '' END",
            ),
        ),
        rows=600_000,
    ),
    Table(
        "keyword",
        "k",
        (
            Column("genre_id", f"(1 + floor((id - 0.5) / rows_of_keyword() * {len(GENRES)}))::INTEGER", "genre"),
            Column(
                "word",
                "lower(pick(adjectives(), u(id, 'first word'))) || '-' || lower(pick(nouns(), u(id, 'second word'))) || '-' || "
                "(id % 50)::VARCHAR",
            ),
        ),
        rows=50_000,
    ),
    Table(
        "title",
        "t",
        (
            Column("_rank", "rank_of_title(id)"),
            Column("_fame", "(_rank - 0.5) / rows_of_title()"),
            Column("_weight", "weight(_fame)"),
            Column(
                "country_id",
                f"zipf({len(COUNTRIES)}, pow(u(id, 'country'), CASE WHEN _fame < 0.1 THEN 2 ELSE 1 END))::INTEGER",
                "country",
            ),
            Column("kind_id", f"zipf({len(TITLE_KINDS)}, u(id, 'kind'))::INTEGER", "title_kind"),
            Column("_first_year", "greatest(1900 + country_id * 17 % 60, first_years()[kind_id])"),
            Column(
                "release_year",
                "(2025 - floor(pow(u(id, 'year'), CASE WHEN _fame < 0.1 THEN 3 ELSE 1.5 END) * (2026 - _first_year)))::INTEGER",
            ),
            Column("_era", "CASE WHEN release_year < 1960 THEN 0 WHEN release_year < 1995 THEN 1 ELSE 2 END"),
            Column(
                "language_id",
                own_or_other(
                    "languages_of()[country_id]",
                    f"zipf({len(LANGUAGES)}, u(id, 'other language'))::INTEGER",
                    "language",
                    0.92,
                ),
                "language",
            ),
            Column(
                "_genre",
                own_or_other(
                    f"1 + (country_id * 7 + release_year // 25 * 3 + zipf(3, u(id, 'genre of its own'))) % {len(GENRES)}",
                    f"zipf({len(GENRES)}, u(id, 'other genre'))",
                    "genre",
                    0.8,
                ),
            ),
            Column(
                "name",
                "pick(adjectives(), u(id, 'first word')) || ' ' || pick(nouns(), u(id, 'second word')) || "
                "CASE WHEN u(id, 'longer') < 0.4 THEN ' of the ' || pick(nouns(), u(id, 'third word')) ELSE '' END",
            ),
            Column("minutes", "([95, 40, 12, 45, 70, 600, 110][kind_id] * (0.75 + 0.5 * u(id, 'minutes')))::INTEGER"),
            Column("season", "CASE WHEN kind_id IN (2, 4) THEN zipf(20, u(id, 'season'))::INTEGER END"),
        ),
        rows=1_000_000,
    ),
)
