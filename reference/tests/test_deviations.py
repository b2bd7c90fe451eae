"""The one schema of deviations, and what is said of a file that does not fit it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from plumbline.reference.results.deviations import Deviation, DeviationError, in_force, read_deviations

GOOD = """
[[deviation]]
requirement = "VER-TIE-01"
reason = "ties go to the first update"
owner = "cache team"
expires = 2027-06-30
"""


def read(tmp_path: Path, text: str) -> tuple[Deviation, ...]:
    (tmp_path / "known.toml").write_text(text)
    return read_deviations(tmp_path / "known.toml")


def test_the_file_that_is_shipped_fits_the_schema():
    assert read_deviations(Path(__file__).parents[2] / "ci" / "geode-deviations.toml")


def test_an_empty_file_puts_nothing_on_record(tmp_path: Path):
    assert read(tmp_path, "") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            GOOD.replace("TIE-01", "TIE-99"),
            "deviation 1 (VER-TIE-99): there is no requirement 'VER-TIE-99'; did you",
        ),
        (
            GOOD + "replaces = 'tie-keep-own'",
            "deviation 1 (VER-TIE-01): replaces: no faulty variant is named",
        ),
        (GOOD + "replaces = 'tie-keep-own'", "did you mean tie-keeps-own?"),
        (GOOD + GOOD, "deviation 2 (VER-TIE-01): it is there twice; remove one"),
        (
            GOOD + "expiry = 2027-01-01",
            "deviation 1 (VER-TIE-01): there is no key 'expiry' here; did you mean expires?",
        ),
        (
            GOOD.replace("owner =", "#"),
            "deviation 1 (VER-TIE-01): owner is missing; add, for example: owner =",
        ),
        (GOOD + "versions = []", "deviation 1 (VER-TIE-01), versions: expected"),
        (GOOD + "versions = '1.15.*'", 'write, for example: versions = ["1.15.*"]'),
        (GOOD.replace('"cache team"', '""'), "deviation 1 (VER-TIE-01), owner: it is blank"),
        (GOOD.replace("[[deviation]]", "[deviation]"), "deviation: expected a list, got a table"),
    ],
)
def test_what_does_not_fit_is_refused_with_file_entry_and_remedy(tmp_path: Path, text: str, said: str):
    with pytest.raises(DeviationError) as refusal:
        read(tmp_path, text)
    assert str(refusal.value).startswith(f"{tmp_path / 'known.toml'}: ")
    assert said in str(refusal.value)


def test_a_deviation_is_in_force_on_its_last_day_and_not_after_and_for_its_versions_alone(tmp_path: Path):
    (known,) = read(tmp_path, GOOD + "versions = ['1.15.*']")
    assert in_force((known,), "1.15.1", date(2027, 6, 30)) == (known,)
    assert in_force((known,), "1.15.1", date(2027, 7, 1)) == ()
    assert in_force((known,), "1.14.0", date(2027, 6, 30)) == ()
