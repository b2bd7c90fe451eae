"""Pictures of a site: taken where there is a browser, refused in one line where something is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.reports import screenshots

PNG = b"\x89PNG"


@pytest.mark.browser
def test_a_picture_of_each_page_is_taken(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "counterexamples").mkdir(parents=True)
    for page in (site / "index.html", site / "counterexamples" / "one.html"):
        page.write_text("<!doctype html><title>t</title><p>hello")
    assert screenshots.main([str(site), str(tmp_path / "pictures")]) == 0
    taken = sorted((tmp_path / "pictures").iterdir())
    assert [picture.name for picture in taken] == ["index.png", "one.png"]
    assert all(picture.read_bytes().startswith(PNG) for picture in taken)


@pytest.mark.browser
def test_a_named_page_is_taken_as_high_as_asked(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "requirements").mkdir(parents=True)
    (site / "requirements" / "A-1.html").write_text("<!doctype html><title>t</title><p>hello")
    wanted = "requirement=requirements/A-*.html@321"
    assert screenshots.main([str(site), str(tmp_path / "pictures"), wanted]) == 0
    (picture,) = (tmp_path / "pictures").iterdir()
    assert picture.name == "requirement.png"
    header = picture.read_bytes()[16:24]
    assert (int.from_bytes(header[:4]), int.from_bytes(header[4:])) == (screenshots.WIDTH, 321)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("overview", "is not of the form NAME=PAGE"),
        ("../up=index.html", "is not of the form"),
        ("a=index.html@0", "is not of the form"),
        ("a=nothing.html", "holds no page nothing.html"),
    ],
)
def test_what_cannot_be_taken_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wanted: str, told: str
) -> None:
    assert screenshots.main([str(tmp_path), str(tmp_path / "pictures"), wanted]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "pictures").exists()


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
