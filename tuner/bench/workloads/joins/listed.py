"""The rows of small tables: places, languages, genres, kinds. The first of each are the most frequent."""

from __future__ import annotations

REGIONS = ("Europe", "North America", "East Asia", "South Asia", "Latin America", "Africa and the Middle East")

LANGUAGES = (
    "English", "Hindi", "Mandarin", "Japanese", "French", "Spanish", "German", "Korean", "Italian", "Portuguese", "Russian",
    "Tamil", "Turkish", "Arabic", "Polish", "Swedish", "Dutch", "Yoruba", "Danish", "Czech", "Greek", "Hungarian",
)  # fmt: skip

# Code, name, region, the language that most of its titles speak.
COUNTRIES = (
    ("us", "United States", 2, 1), ("in", "India", 4, 2), ("gb", "United Kingdom", 1, 1), ("jp", "Japan", 3, 4),
    ("fr", "France", 1, 5), ("cn", "China", 3, 3), ("de", "Germany", 1, 7), ("kr", "South Korea", 3, 8),
    ("it", "Italy", 1, 9), ("es", "Spain", 1, 6), ("ca", "Canada", 2, 1), ("br", "Brazil", 5, 10), ("mx", "Mexico", 5, 6),
    ("ru", "Russia", 1, 11), ("hk", "Hong Kong", 3, 3), ("tr", "Turkey", 6, 13), ("ar", "Argentina", 5, 6),
    ("eg", "Egypt", 6, 14), ("pl", "Poland", 1, 15), ("se", "Sweden", 1, 16), ("nl", "Netherlands", 1, 17),
    ("ng", "Nigeria", 6, 18), ("au", "Australia", 2, 1), ("dk", "Denmark", 1, 19), ("lk", "Sri Lanka", 4, 12),
    ("cz", "Czechia", 1, 20), ("gr", "Greece", 1, 21), ("pt", "Portugal", 1, 10), ("hu", "Hungary", 1, 22),
    ("at", "Austria", 1, 7),
)  # fmt: skip

GENRES = (
    "drama", "comedy", "documentary", "romance", "thriller", "action", "crime", "horror", "adventure", "family",
    "animation", "fantasy", "mystery", "music", "science fiction", "war", "history", "western", "sport", "noir",
)  # fmt: skip

# Name, and the year of the first.
TITLE_KINDS = (
    ("film", 1905), ("episode", 1950), ("short", 1900), ("series", 1950), ("documentary film", 1920), ("game", 1985),
    ("concert", 1965),
)  # fmt: skip

COMPANY_KINDS = ("distributor", "studio", "broadcaster", "effects studio")

ROLES = ("actor", "director", "writer", "producer", "composer", "camera", "editor", "designer", "guest")

LINK_KINDS = (
    "is followed by", "follows", "remakes", "refers to", "is a version of", "is featured in", "spoofs", "spins off from",
)  # fmt: skip

RATING_SOURCES = ("audience", "critics", "festival", "magazine", "panel", "trade press")

# The first 24 are of titles, the rest of persons.
ATTRIBUTE_KINDS = (
    "colour", "format", "filmed in", "spoken", "certificate", "budget", "sound", "tagline", "aspect ratio", "opening week",
    "filming dates", "copyright", "trivia", "goof", "quote", "soundtrack", "camera model", "laboratory", "printed format",
    "admissions", "weekend gross", "crazy credit", "alternate version", "connection", "born in", "height", "lives in",
    "trademark", "nickname", "spouse", "biography", "interview", "portrait", "salary",
)  # fmt: skip
KINDS_OF_TITLES = 24

# Name, country.
AWARDS = tuple((f"{name} Prize", 1 + place % 20) for place, name in enumerate((
    "Golden Lantern", "Lotus", "Silver Mask", "Crane", "Iris", "Jade Wheel", "Oak Leaf", "Blue Tiger", "Laurel", "Carnation",
    "Maple", "Parrot", "Obsidian", "Birch", "Harbour", "Tulip", "Condor", "Lapis", "Amber", "North Star",
    "Critics", "Monsoon", "Guild", "Cherry",
)))  # fmt: skip
