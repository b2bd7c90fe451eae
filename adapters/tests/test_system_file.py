"""A file that describes a system in containers is read whole, or refused with what is wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.container.image_name import MIB, ImageName, Limits
from plumbline.adapters.container.system_file import command_of, system_of
from plumbline.adapters.errors import UnknownCandidateError

WHOLE = """
[adapter]
image = "my/adapter:1"
cpus = 1
memory = "512m"

[member]
image = "my/store:1"
command = "serve '{member} of {site}'"
volume = "/var/lib/store"
pull = "missing"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(WHOLE)
    return tmp_path / "system.toml"


def test_a_file_names_the_adapter_and_the_members(file: Path):
    system = system_of(file)
    assert system.adapter == ImageName(image="my/adapter:1", limits=Limits(cpus=1.0, memory=512 * MIB))
    assert (system.member.image, system.member.pull, system.volume) == ("my/store:1", True, "/var/lib/store")
    assert command_of(system.member, "A", 2) == ("serve", "A of 2")


@pytest.mark.parametrize(
    ("text", "other", "words"),
    [
        ("[adapter]", "[adaptor]", "adaptor"),
        ("my/store:1", "My Store", "member: an image is needed"),
        ("512m", "lots", "adapter: the setting memory: 'lots' is no size"),
        ('volume = "/var/lib/store"', 'volume = "data"', "member, volume: 'data' is no folder"),
        ("cpus = 1", "port = 7000", "port"),
        ("cpus = 1", "cpus =", "it is no TOML"),
        ("missing", "sometimes", "'sometimes' is neither missing nor never"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(file: Path, text: str, other: str, words: str):
    file.write_text(WHOLE.replace(text, other))
    with pytest.raises(UnknownCandidateError) as error:
        find_candidate(f"docker:{file}")
    assert words in str(error.value)
    assert str(file) in str(error.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(UnknownCandidateError, match="No such file"):
        find_candidate("docker:none.toml", folder=tmp_path)
