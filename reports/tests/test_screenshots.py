"""Pictures of a site: taken where there is a browser, refused in one line where something is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from plumbline.reports import screenshots

PNG = b"\x89PNG"


@pytest.mark.browser
@pytest.mark.skipif(not any(map(shutil.which, screenshots.BROWSERS)), reason="no Chromium")
def test_a_picture_of_each_page_is_taken(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "counterexamples").mkdir(parents=True)
    for page in (site / "index.html", site / "counterexamples" / "one.html"):
        page.write_text("<!doctype html><title>t</title><p>hello")
    assert screenshots.main([str(site), str(tmp_path / "pictures")]) == 0
    taken = sorted((tmp_path / "pictures").iterdir())
    assert [picture.name for picture in taken] == ["index.png", "one.png"]
    assert all(picture.read_bytes().startswith(PNG) for picture in taken)


def test_no_site_and_no_browser_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert screenshots.main([str(tmp_path), str(tmp_path / "pictures")]) == 2
    assert "holds no index.html" in capsys.readouterr().err
    (tmp_path / "index.html").write_text("")
    monkeypatch.setattr(screenshots, "BROWSERS", ("no-such-browser",))
    assert screenshots.main([str(tmp_path), str(tmp_path / "pictures")]) == 2
    assert "install the package chromium" in capsys.readouterr().err
    assert screenshots.main([]) == 2
