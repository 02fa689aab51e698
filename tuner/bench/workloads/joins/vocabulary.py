"""Words that names are made of."""

from __future__ import annotations

ADJECTIVES = (
    "Silent", "Golden", "Broken", "Hidden", "Last", "Crimson", "Wild", "Lonely", "Frozen", "Burning", "Secret", "Distant",
    "Bitter", "Gentle", "Hollow", "Iron", "Lost", "Midnight", "Northern", "Paper", "Quiet", "Restless", "Scarlet",
    "Seventh", "Stolen", "Sunken", "Tender", "Velvet", "Wandering", "White", "Winter", "Young",
)  # fmt: skip

NOUNS = (
    "River", "House", "Garden", "Letter", "Harbour", "Mountain", "Stranger", "Winter", "Bridge", "Mirror", "Station",
    "Island", "Thief", "Daughter", "Captain", "Orchard", "Engine", "Shadow", "Lantern", "Border", "Clock", "Desert",
    "Empire", "Falcon", "Ghost", "Hotel", "Journey", "Kingdom", "Library", "Market", "Night", "Ocean", "Piano", "Queen",
    "Rain", "Soldier", "Tower", "Uncle", "Village", "Wolf", "Window", "Year", "Zero", "Doctor", "Forest", "Road", "Sister",
    "Crown",
)  # fmt: skip

GIVEN_F = (
    "Ada", "Clara", "Dina", "Elif", "Greta", "Hana", "Ines", "Jun", "Lena", "Mira", "Nadia", "Olga", "Priya", "Rosa",
    "Sara", "Yuki",
)  # fmt: skip
GIVEN_M = (
    "Adam", "Boris", "Carlos", "Daniel", "Emil", "Felix", "Hugo", "Ivan", "Jonas", "Kenji", "Leo", "Marco", "Nikhil",
    "Omar", "Paul", "Tom",
)  # fmt: skip
FAMILIES = (
    "Abbott", "Almeida", "Arslan", "Baker", "Banerjee", "Bauer", "Becker", "Berg", "Bianchi", "Castro", "Chen", "Cho",
    "Costa", "Dahl", "Das", "Dubois", "Fischer", "Fontaine", "Garcia", "Greene", "Haddad", "Hansen", "Hayes", "Horvat",
    "Ito", "Ivanov", "Jansen", "Kaya", "Khan", "Kim", "Kovacs", "Kowalski", "Lambert", "Larsen", "Li", "Lopez", "Mehta",
    "Meyer", "Moreau", "Mori", "Nagy", "Novak", "Okafor", "Oliveira", "Papas", "Park", "Patel", "Perera", "Petrov", "Rao",
    "Ricci", "Romero", "Sato", "Silva", "Singh", "Suzuki", "Tanaka", "Wagner", "Wang", "Yilmaz",
)  # fmt: skip

COMPANY_WORDS = ("Pictures", "Films", "Media", "Television", "Entertainment", "Works", "Vision", "Brothers")
