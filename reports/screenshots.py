"""Pictures of pages of a site, taken by Chromium without a window: for the README, and to look at.

    python -m plumbline.reports.screenshots SITE PICTURES [NAME=PAGE[@HEIGHT]...]

Takes the pages named, from the top down to so many pixels; else the first page and each counterexample's.
PAGE may be a pattern, of which the first page is taken. Knows nothing of what is on a page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

WIDTH, HEIGHT = 1500, 2000
LIMIT_S = 60.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MOST_PICTURES = 50


class CannotTakeError(Exception):
    """No picture can be taken; the message says why and what to do."""


def browser() -> str:
    """The path of Chromium; raises CannotTakeError."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise CannotTakeError(missing_for_pictures())
    return found


def missing_for_pictures() -> str:
    """What no site can be opened for, and the remedy; "" if nothing is missing."""
    if any(map(shutil.which, BROWSERS)):
        return ""
    return "no Chromium on the PATH: install the package chromium"


class Picture(NamedTuple):
    """One picture: its name, the page, and how much of the page."""

    name: str
    page: Path
    height: int = HEIGHT


def take(page: Path, picture: Path, height: int = HEIGHT) -> None:
    """Write a picture of a page of this disk, from the top down to so many pixels; raises CannotTakeError.

    The page asks for nothing from anywhere, and the browser is started with a profile of its own.
    """
    with tempfile.TemporaryDirectory(prefix="plumbline-browser-") as profile:
        command = [
            browser(),
            *("--headless", "--disable-gpu", "--hide-scrollbars", "--no-sandbox"),
            f"--user-data-dir={profile}",
            f"--window-size={WIDTH},{height}",
            f"--screenshot={picture.resolve()}",
            page.resolve().as_uri(),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise CannotTakeError(f"{page}: the browser took longer than {LIMIT_S:g} s") from error
    if done.returncode or not picture.is_file():
        words = done.stderr.decode(errors="replace").strip()[-300:]
        raise CannotTakeError(f"{page}: the browser ended with {done.returncode}: {words}")


def _usual(site: Path) -> list[Picture]:
    pages = [site / "index.html", *sorted((site / "counterexamples").glob("*.html"))[:MOST_PICTURES]]
    if not pages[0].is_file():
        raise CannotTakeError(f"{site} holds no index.html: `plumbline report` writes one")
    return [Picture(page.stem, page) for page in pages]


def _named(site: Path, words: str) -> Picture:
    """A picture by NAME=PAGE[@HEIGHT]."""
    match = re.fullmatch(r"([\w-]+)=([^@/][^@]*)(?:@([1-9]\d{0,3}))?", words)
    if match is None:
        raise CannotTakeError(f"{words!r} is not of the form NAME=PAGE or NAME=PAGE@HEIGHT")
    pages = sorted(site.glob(match[2]))
    if not pages:
        raise CannotTakeError(f"{site} holds no page {match[2]}")
    return Picture(match[1], pages[0], int(match[3] or HEIGHT))


def main(arguments: list[str]) -> int:
    """Take the pictures of a site; 0 if all were taken, 2 if not."""
    if len(arguments) < len(("site", "pictures")):
        sys.stderr.write(
            "usage: python -m plumbline.reports.screenshots SITE PICTURES [NAME=PAGE[@HEIGHT]...]\n"
        )
        return 2
    site, pictures = map(Path, arguments[:2])
    try:
        wanted = [_named(site, one) for one in arguments[2:]] or _usual(site)
        pictures.mkdir(parents=True, exist_ok=True)
        for one in wanted:
            take(one.page, pictures / f"{one.name}.png", one.height)
            sys.stdout.write(f"{pictures / one.name}.png\n")
    except (CannotTakeError, OSError) as error:
        sys.stderr.write(f"screenshots: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
