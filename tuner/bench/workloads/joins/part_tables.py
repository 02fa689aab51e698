"""The twelve tables of what titles and persons have: companies, credits, keywords, facts, ratings, …"""

from __future__ import annotations

from tuner.bench.workloads.joins.likely import member_or_any, own_or_other
from tuner.bench.workloads.joins.listed import (
    ATTRIBUTE_KINDS,
    AWARDS,
    COMPANY_KINDS,
    COUNTRIES,
    GENRES,
    KINDS_OF_TITLES,
    LANGUAGES,
    LINK_KINDS,
    RATING_SOURCES,
)
from tuner.bench.workloads.joins.table import Column, Table

_YEAR_VALUES = {
    "colour": own_or_other(
        "CASE WHEN title_release_year < 1960 THEN 'black and white' ELSE 'colour' END", "'tinted'", "colour", 0.97
    ),
    "format": own_or_other("['nitrate', '35 mm', 'digital'][title__era + 1]", "'16 mm'", "format", 0.9),
    "sound": own_or_other(
        "CASE WHEN title_release_year < 1930 THEN 'silent' ELSE ['mono', 'stereo', 'surround'][title__era + 1] END",
        "'mono'",
        "sound",
        0.9,
    ),
}
_VALUE = f"""CASE attribute_kind_id
    WHEN 1 THEN {_YEAR_VALUES["colour"]}
    WHEN 2 THEN {_YEAR_VALUES["format"]}
    WHEN 3 THEN {own_or_other("countries()[title_country_id]", "pick(countries(), u(id, 'other place'))", "filmed in")}
    WHEN 4 THEN {own_or_other("languages()[title_language_id]", "pick(languages(), u(id, 'other tongue'))", "spoken")}
    WHEN 5 THEN ['all', '6', '12', '16', '18'][1 + (title__genre * 3 + zipf(2, u(id, 'certificate'))) % 5]
    WHEN 6 THEN (1 + floor(title__weight * (1 + u(id, 'budget'))))::BIGINT || ' million'
    WHEN 7 THEN {_YEAR_VALUES["sound"]}
    ELSE lower(pick(adjectives(), u(id, 'first word'))) || ' ' || lower(pick(nouns(), u(id, 'second word')))
END"""

_PERSON_VALUE = f"""CASE attribute_kind_id
    WHEN {KINDS_OF_TITLES + 1} THEN {
    own_or_other("countries()[person_country_id]", "pick(countries(), u(id, 'born abroad'))", "born in", 0.9)
}
    WHEN {KINDS_OF_TITLES + 2} THEN
        (CASE WHEN person_gender = 'f' THEN 152 ELSE 164 END + floor(30 * u(id, 'height')))::INTEGER || ' cm'
    WHEN {KINDS_OF_TITLES + 3} THEN {own_or_other("countries()[person_country_id]", "'United States'", "lives in", 0.6)}
    ELSE lower(pick(nouns(), u(id, 'first word'))) || ' ' || lower(pick(nouns(), u(id, 'second word')))
END"""


def _part(name: str, alias: str, mean: float, *columns: Column, whole: str = "title") -> Table:
    """A table with `mean` rows for each row of the whole, most of them for the famous."""
    return Table(name, alias, columns, part_of=whole, fan_out=f"{mean} * _weight")


PART_TABLES = (
    _part(
        "title_company",
        "tc",
        2.5,
        Column("company_id", member_or_any("company", "company"), "company"),
        Column("company_kind_id", f"zipf({len(COMPANY_KINDS)}, u(id, 'kind'))::INTEGER", "company_kind"),
        Column(
            "note",
            "CASE WHEN company_kind_id = 1 AND u(id, 'note') < 0.8 THEN '(' || title_release_year || ') (' || "
            "upper(codes()[title_country_id]) || ') (' || ['theatrical', 'cassette', 'stream'][title__era + 1] || ')' "
            "WHEN u(id, 'shared') < 0.2 THEN '(co-production)' END",
        ),
    ),
    _part(
        "credit",
        "cr",
        12.0,
        Column("person_id", member_or_any("person", "person"), "person"),
        Column("role_id", own_or_other("trade_of_person(person_id)", "1", "role", 0.7), "role"),
        Column(
            "persona_id",
            "CASE WHEN role_id IN (1, 9) THEN 1 + floor(rows_of_persona() * lean(u(id, 'persona')))::BIGINT END",
            "persona",
        ),
        Column("place", "(part + 1)::INTEGER"),
        Column(
            "note",
            "CASE WHEN role_id = 1 AND (title_kind_id = 6 OR title__genre = 11) AND u(id, 'voice') < 0.8 THEN '(voice)' "
            "WHEN place > 20 AND u(id, 'unnamed') < 0.4 THEN '(uncredited)' WHEN role_id = 4 THEN '(executive)' END",
        ),
    ),
    Table(
        "title_genre",
        "tg",
        (
            # Each genre has its companions: the second of a thriller is always the same.
            Column("genre_id", f"(1 + (title__genre + [0, 3, 7, 12][part + 1] - 1) % {len(GENRES)})::INTEGER", "genre"),
        ),
        part_of="title",
        fan_out="least(3.5, 1 + 0.5 * _weight)",
    ),
    _part(
        "title_keyword",
        "tw",
        4.0,
        Column(
            "keyword_id",
            own_or_other(
                f"1 + floor(rows_of_keyword() * (title__genre - 1 + lean(u(id, 'keyword of its own'))) / {len(GENRES)})::BIGINT",
                "1 + floor(rows_of_keyword() * u(id, 'any keyword'))::BIGINT",
                "keyword",
            ),
            "keyword",
        ),
    ),
    _part(
        "title_attribute",
        "ta",
        8.0,
        Column("attribute_kind_id", f"zipf({KINDS_OF_TITLES}, u(id, 'kind'))::INTEGER", "attribute_kind"),
        Column("value", _VALUE),
    ),
    _part(
        "title_rating",
        "tr",
        1.5,
        Column("rating_source_id", f"zipf({len(RATING_SOURCES)}, u(id, 'source'))::INTEGER", "rating_source"),
        Column(
            "score",
            "greatest(1, least(10, 5 - 0.8 * log10(title__fame) + title__genre * 13 % 20 / 10.0 - 1 + 2 * u(id, 'liked') - 2 * "
            "u(id, 'disliked')))::DECIMAL(3, 1)",
        ),
        Column("votes", "(1 + floor(200 * title__weight * (0.5 + u(id, 'votes'))))::INTEGER"),
    ),
    _part(
        "title_release",
        "re",
        2.5,
        Column(
            "country_id",
            f"(CASE WHEN part = 0 THEN title_country_id ELSE zipf({len(COUNTRIES)}, u(id, 'abroad')) END)::INTEGER",
            "country",
        ),
        Column(
            "released",
            "make_date(title_release_year, 1 + floor(12 * u(title_id, 'month'))::INTEGER, "
            "1 + floor(28 * u(title_id, 'day'))::INTEGER)"
            " + least(part, 400)::INTEGER * 7",
        ),
        Column(
            "medium",
            "CASE WHEN part % 3 < 2 THEN ['cinema', 'television', 'stream'][title__era + 1] ELSE "
            "['cinema', 'cassette', 'disc'][title__era + 1] END",
        ),
    ),
    _part(
        "title_link",
        "tl",
        0.25,
        Column(
            "linked_title_id",
            "title_of_rank(1 + (title__rank + floor(rows_of_title() * lean(u(id, 'linked')))::BIGINT) % rows_of_title())",
            "title",
        ),
        Column("link_kind_id", f"zipf({len(LINK_KINDS)}, u(id, 'kind'))::INTEGER", "link_kind"),
    ),
    _part(
        "title_name",
        "tn",
        1.0,
        Column("language_id", f"zipf({len(LANGUAGES)}, u(id, 'language'))::INTEGER", "language"),
        Column("name", "pick(nouns(), u(id, 'first word')) || ' ' || pick(nouns(), u(id, 'second word'))"),
        Column("note", "CASE WHEN u(id, 'note') < 0.3 THEN '(working title)' END"),
    ),
    _part(
        "title_award",
        "aw",
        0.3,
        Column(
            "award_id",
            own_or_other(
                "1 + (title_country_id - 1) % 20", f"1 + floor({len(AWARDS)} * u(id, 'any award'))", "award", 0.7
            )
            + "::INTEGER",
            "award",
        ),
        Column("person_id", member_or_any("person", "person"), "person"),
        Column("year", "(title_release_year + 1)::INTEGER"),
        Column("won", "u(id, 'won') < 0.25"),
    ),
    _part(
        "person_name",
        "pn",
        1.0,
        Column(
            "name",
            "pick(families(), u(id, 'family')) || ', ' || left(split_part(person_name, ', ', 2), 1) || '.'",
        ),
        whole="person",
    ),
    _part(
        "person_attribute",
        "pt",
        2.0,
        Column(
            "attribute_kind_id",
            f"({KINDS_OF_TITLES} + zipf({len(ATTRIBUTE_KINDS) - KINDS_OF_TITLES}, u(id, 'kind')))::INTEGER",
            "attribute_kind",
        ),
        Column(
            "value",
            _PERSON_VALUE,
        ),
        whole="person",
    ),
)
