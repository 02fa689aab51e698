"""The published page is what `bench-results` makes of the results that are kept beside it."""

from __future__ import annotations

from pathlib import Path

from tuner.cli.commands.bench_results import bench_results

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_and_its_pictures_are_made_of_what_is_kept(tmp_path: Path) -> None:
    kept = sorted(path for path in (DOCS / "results").iterdir() if path.is_dir())
    bench_results(kept, tmp_path / "results.md")
    made = {file.relative_to(tmp_path): file.read_text("utf-8") for file in tmp_path.rglob("*") if file.is_file()}
    assert len(made) == 1 + len(kept)
    assert made == {name: (DOCS / name).read_text("utf-8") for name in made}
