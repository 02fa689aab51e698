"""The page keeps its promises in its source: nothing of other hosts, no data as markup, every file in use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tuner.panel

STATIC = Path(tuner.panel.__file__).parent / "static"
PAGE = (STATIC / "index.html").read_text()
MODULES = sorted((STATIC / "js").glob("*.js"))
SHEETS = sorted((STATIC / "css").glob("*.css"))

# Names for a namespace of XML, which nothing fetches.
NAMESPACES = {"http://www.w3.org/2000/svg"}
WRITES_MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc"
)
RUNS_TEXT = re.compile(r"\beval\(|new Function|set(?:Timeout|Interval)\(\s*[\"'`]|javascript:")
BLOCKED_IN_A_SANDBOX = re.compile(r"\b(?:alert|confirm|prompt)\(|_blank|_top")


def imports(module: Path) -> set[str]:
    return set(re.findall(r'from "\./(\w+\.js)"', module.read_text()))


@pytest.mark.parametrize("path", [STATIC / "index.html", *MODULES, *SHEETS], ids=lambda path: path.name)
def test_names_no_other_host(path: Path) -> None:
    assert set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[\w./]*", without_comments(path))) <= NAMESPACES


def without_comments(path: Path) -> str:
    return re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "forbidden", [WRITES_MARKUP, RUNS_TEXT, BLOCKED_IN_A_SANDBOX], ids=["markup", "code", "dialogs"]
)
def test_module_does_without(module: Path, forbidden: re.Pattern[str]) -> None:
    assert not forbidden.search(module.read_text())


def test_page_has_no_script_or_handler_of_its_own() -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)", PAGE)
    assert not re.search(r"\son\w+=", PAGE)


def test_page_loads_every_module_at_once() -> None:
    named = set(re.findall(r'(?:src|href)="static/js/(\w+\.js)"', PAGE))

    assert named == {module.name for module in MODULES}


def test_page_loads_every_sheet() -> None:
    assert set(re.findall(r'href="static/css/(\w+\.css)"', PAGE)) == {sheet.name for sheet in SHEETS}


def test_every_module_is_imported() -> None:
    imported = set().union(*(imports(module) for module in MODULES))

    assert {module.name for module in MODULES} - imported == {"main.js", "theme_first.js"}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *[("ink", ground) for ground in ("page", "raised", "sunken", "accent-soft", "bad-soft", "trial-soft")],
        *[("ink-soft", ground) for ground in ("page", "raised", "sunken", "accent-soft")],
        *[(tone, f"{tone}-soft") for tone in ("accent", "good", "trial", "warn", "bad")],
        ("bad", "accent-soft"),
        *[(tone, ground) for tone in ("accent", "good", "warn", "bad") for ground in ("page", "raised")],
        ("on-accent", "accent"),
        ("page", "trial"),
        ("page", "warn"),
    ],
)
def test_text_stands_out_as_wcag_aa_asks(theme: str, text: str, ground: str) -> None:
    colours = palette(theme)

    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "mark", ["kind-untouched", "kind-trial", "kind-proven", "kind-failed", "kind-unmeasured", "line-strong"]
)
def test_marks_and_borders_stand_out_as_wcag_aa_asks(theme: str, mark: str) -> None:
    colours = palette(theme)

    assert contrast(colours[mark], colours["page"]) >= 3


def palette(theme: str) -> dict[str, str]:
    """Colours by their names in tokens.css, `#rrggbb`."""
    light, dark = (STATIC / "css" / "tokens.css").read_text().split(':root[data-theme="dark"]')
    block = light if theme == "light" else dark
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
