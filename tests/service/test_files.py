"""The page as the service holds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurocross.service import files


def test_without_a_built_page_a_notice_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "package_files", lambda _: tmp_path)
    (index,) = files.page().values()
    assert b"make page" in index.content


def test_a_built_page_is_held_in_memory_by_the_paths_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "package_files", lambda _: tmp_path)
    (tmp_path / "page" / "assets").mkdir(parents=True)
    (tmp_path / "page" / "index.html").write_text("<!doctype html>")
    (tmp_path / "page" / "assets" / "index-1a2b.js").write_text("1")
    found = files.page()
    assert found.keys() == {"/", "/assets/index-1a2b.js"}
    assert found["/assets/index-1a2b.js"].is_hashed and not found["/"].is_hashed
    assert found["/assets/index-1a2b.js"].media_type.startswith("text/javascript")
