"""Strangers' text becomes plain and bounded."""

from __future__ import annotations

import unicodedata

import pytest

from plumbline.reports.tests.samples import HOSTILE
from plumbline.reports.text import LIMIT, STACKED_MARKS, one_line, short, visible


def test_no_character_that_is_invisible_or_turns_the_direction_is_left() -> None:
    everything = "".join(map(chr, range(0x11000))) + HOSTILE + chr(0xE0041) + chr(0x10FFFF)
    left = {unicodedata.category(letter) for letter in visible(everything, len(everything))}
    assert not left & {"Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    controls = {
        letter for letter in visible(everything, len(everything)) if unicodedata.category(letter) == "Cc"
    }
    assert controls == {"\n", "\t"}


def test_what_was_invisible_can_still_be_read() -> None:
    assert visible("a\x1b[31mb\u202ec\ud800") == "a\\u{1B}[31mb\\u{202E}c\\u{D800}"


def test_ordinary_text_of_any_script_is_left_alone() -> None:
    text = "värde 値 قيمة «ключ» é 🙂"
    assert visible(text) == text


def test_a_megabyte_is_cut_and_its_length_is_told() -> None:
    shown = visible("x" * 1_000_000)
    assert len(shown) < LIMIT + 50
    assert shown.endswith("… (1,000,000 characters)")


def test_marks_do_not_pile_up() -> None:
    shown = visible("e" + "\u0301" * 50)
    assert shown.count("\u0301") == STACKED_MARKS


def test_one_line_has_no_line_feed() -> None:
    assert one_line("a\nb\tc") == "a\\nb\\tc"


@pytest.mark.parametrize("text", ["x" * 100, "値" * 100, "a値" * 50, "e\u0301" * 100, HOSTILE])
@pytest.mark.parametrize("width", [1, 2, 7, 34])
def test_short_text_keeps_its_width(text: str, width: int) -> None:
    shown = short(text, width)
    columns = sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in shown
    )
    assert columns <= width
    assert shown.endswith("…")


def test_short_text_that_fits_is_whole() -> None:
    assert short("12345", 5) == "12345"
