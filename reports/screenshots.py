"""Pictures of pages of a site, taken by Chromium without a window: for the README, and to look at.

    python -m plumbline.reports.screenshots SITE PICTURES

Takes the first page and each counterexample's. Knows nothing of what is on a page.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTH, HEIGHT = 1500, 2000
LIMIT_S = 60.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MOST_PICTURES = 50


class CannotTakeError(Exception):
    """No picture can be taken; the message says why and what to do."""


def browser() -> str:
    """The path of Chromium; raises CannotTakeError."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return found
    raise CannotTakeError("no Chromium on the PATH: install the package chromium")


def take(page: Path, picture: Path) -> None:
    """Write a picture of a page of this disk; raises CannotTakeError.

    The page asks for nothing from anywhere, and the browser is started with a profile of its own.
    """
    with tempfile.TemporaryDirectory(prefix="plumbline-browser-") as profile:
        command = [
            browser(),
            *("--headless", "--disable-gpu", "--hide-scrollbars", "--no-sandbox"),
            f"--user-data-dir={profile}",
            f"--window-size={WIDTH},{HEIGHT}",
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


def main(arguments: list[str]) -> int:
    """Take the pictures of a site; 0 if all were taken, 2 if not."""
    if len(arguments) != len(("site", "pictures")):
        sys.stderr.write("usage: python -m plumbline.reports.screenshots SITE PICTURES\n")
        return 2
    site, pictures = map(Path, arguments)
    pages = [site / "index.html", *sorted((site / "counterexamples").glob("*.html"))[:MOST_PICTURES]]
    try:
        if not pages[0].is_file():
            raise CannotTakeError(f"{site} holds no index.html: `plumbline report` writes one")  # noqa: TRY301
        pictures.mkdir(parents=True, exist_ok=True)
        for page in pages:
            take(page, pictures / f"{page.stem}.png")
            sys.stdout.write(f"{pictures / page.stem}.png\n")
    except (CannotTakeError, OSError) as error:
        sys.stderr.write(f"screenshots: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
