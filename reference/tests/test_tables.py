"""Files that people write: read strictly, refused with the place and the remedy."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from plumbline.reference.results.tables import LARGEST, TableError, fields, read_table


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    until: Annotated[date, Meta(description="the last day", examples=["2027-06-30"])]
    colours: tuple[Colour, ...] = ()


class Whole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    inner: list[Inner] = []
    count: Annotated[int, Meta(ge=0, examples=["3"])] = 0
    most: int | Literal["any"] = "any"
    nested: Inner | None = None
    environment: dict[str, str] = {}


def read(tmp_path: Path, text: str) -> Whole:
    file = tmp_path / "some.toml"
    file.write_text(text, encoding="utf-8")
    return read_table(file, Whole, identity="name")


def test_a_right_file_is_read(tmp_path: Path):
    inner = '[[inner]]\nname = "a"\nuntil = 2027-01-02\ncolours = ["red"]\n'
    text = f'count = 2\nmost = 5\n{inner}[environment]\nX = "1"\n'
    assert read(tmp_path, text) == Whole(
        inner=[Inner("a", date(2027, 1, 2), (Colour.RED,))], count=2, most=5, environment={"X": "1"}
    )


ENTRY = '[[inner]]\nname = "a"\nuntil = 2027-01-02\n[[inner]]\nname = "b"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("coumt = 2", "there is no key 'coumt' here; did you mean count?"),
        ("xyzzy = 2", "there is no key 'xyzzy' here; there are: inner, count, most, nested, environment"),
        (
            "[[inner]]\nname='a'\nuntill=2027-01-02",
            "inner 1 (a): there is no key 'untill' here; did you mean until?",
        ),
        (
            "[nested]\nname='a'\nuntil=2027-01-02\nnane=1",
            "nested: there is no key 'nane' here; did you mean name?",
        ),
        (ENTRY, "inner 2 (b): until is missing; add, for example: until = 2027-06-30"),
        (ENTRY + "until = 'soon'", "inner 2 (b), until: invalid"),
        (ENTRY + "until = 'soon'", "write, for example: until = 2027-06-30"),
        (ENTRY + "until=2027-01-01\ncolours=['rde']", "'rde' is none of red, green; did you mean red?"),
        ("count = 'two'", "count: expected a whole number, got text; write, for example: count = 3"),
        ("count = -1", "count: expected a whole number >= 0"),
        ("[environment]\nX = 1", "environment, ...: expected text, got a whole number"),
        ("inner = 5", "inner: expected a list, got a whole number"),
        ("count = ", "it is no TOML"),
        ("count = 1\ncount = 2", "it is no TOML"),
        ("x = " + "[" * 100_000, "it is no TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_what_to_write(tmp_path: Path, text: str, said: str):
    with pytest.raises(TableError) as refusal:
        read(tmp_path, text)
    assert str(refusal.value).startswith(f"{tmp_path / 'some.toml'}: ")
    assert said in str(refusal.value)
    assert "`" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("data", "said"), [(b"\xff\xfe", "no UTF-8"), (b"#" * (LARGEST + 1), "too many for a file")]
)
def test_bytes_that_nobody_writes_by_hand_are_refused(tmp_path: Path, data: bytes, said: str):
    (tmp_path / "some.toml").write_bytes(data)
    with pytest.raises(TableError, match=said):
        read_table(tmp_path / "some.toml", Whole)


def test_a_missing_file_is_told_with_its_name(tmp_path: Path):
    with pytest.raises(TableError, match=r"none\.toml: No such file"):
        read_table(tmp_path / "none.toml", Whole)


def test_what_is_said_about_a_field_can_be_read_back():
    told = {field.name: (what, example) for field, what, example in fields(Inner)}
    assert told["until"] == ("the last day", "2027-06-30")
    assert told["name"] == ("", "")
