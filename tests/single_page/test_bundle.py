"""Modules become one script, in the order in which they need one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.replay.report.write import STATIC
from tuner.single_page.bundle import bundle, imports_of
from tuner.single_page.frame import PANEL, SHARED


def write(folder: Path, **modules: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, source in modules.items():
        (folder / f"{name}.js").write_text(source)
    return folder


def test_a_module_is_a_function_of_its_own_that_gives_what_it_exports(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "js",
        main='import { one as first, two } from "./parts.js";\nimport * as all from "./parts.js";\nfirst(two, all);\n',
        parts="export const two = 2;\nexport async function one() {}\nexport class Third {}\nconst own = 1;\n",
    )
    assert bundle("main", [folder]) == (
        "const $parts = (() => {\nconst two = 2;\nasync function one() {}\nclass Third {}\nconst own = 1;\n\n"
        "return { one, Third, two };\n})();\n".replace("one, Third, two", "two, one, Third")
        + "const $main = (() => {\nconst { one: first, two } = $parts;\nconst all = $parts;\nfirst(two, all);\n\n"
        "return {  };\n})();"
    )


def test_the_first_folder_that_has_a_module_gives_it(tmp_path: Path) -> None:
    own = write(tmp_path / "own", api="export const who = 1;\n")
    panel = write(tmp_path / "panel", api="export const who = 2;\n", main='import { who } from "./api.js";\nwho;\n')
    script = bundle("main", [own, panel])
    assert "who = 1" in script
    assert "who = 2" not in script


@pytest.mark.parametrize(
    ("main", "said"),
    [
        ('import { a } from "./gone.js";\n', "no module gone.js"),
        ('import { main } from "./main.js";\n', "in a circle: main → main"),
        ('import a from "./a.js";\n', "cannot be put into one script: import a from"),
        ("export default 1;\n", "export default 1"),
        ("const at = import.meta.url;\n", "import.meta"),
    ],
)
def test_what_cannot_be_put_into_one_script_is_refused(tmp_path: Path, main: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        bundle("main", [write(tmp_path, main=main)])


def test_every_module_of_the_report_is_used_and_stands_for_one_of_the_panels_exports() -> None:
    script = bundle("report_main", (STATIC / "js", SHARED / "js", PANEL / "js"))
    for module in (STATIC / "js").glob("*.js"):
        assert f"const ${module.stem} = " in script
    for name in ("api", "address", "acting"):
        exported = {line.split("(")[0].split("=")[0] for line in _exports(PANEL / "js" / f"{name}.js")}
        assert exported == {line.split("(")[0].split("=")[0] for line in _exports(STATIC / "js" / f"{name}.js")}


def test_imports_are_found_in_their_order() -> None:
    assert imports_of('import { b } from "./b.js";\nimport * as a from "./a.js";\n') == ["b", "a"]


def _exports(module: Path) -> list[str]:
    return [line.removesuffix(" ") for line in module.read_text().splitlines() if line.startswith("export ")]
