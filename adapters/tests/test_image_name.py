"""The name of a candidate in a container is read whole, or refused with what is wrong in it."""

from __future__ import annotations

import re

import pytest

from plumbline.adapters.candidates import CandidateKind, find_candidate
from plumbline.adapters.container.image_name import MIB, SETTINGS, ImageName, Limits, bytes_of, image_name_of
from plumbline.adapters.container.owners import Owner, is_gone, this_process
from plumbline.adapters.errors import MissingToolError

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    "image",
    [
        "adapter",
        "adapter:1.0",
        "my/adapter",
        "registry.example.org:5000/my/adapter:1",
        f"adapter@{DIGEST}",
        f"my/adapter:1@{DIGEST}",
        DIGEST,
    ],
)
def test_an_image_is_named_as_for_docker(image: str):
    assert image_name_of(image) == ImageName(image=image)


def test_settings_stand_behind_the_image_and_the_command_behind_both():
    name = (
        "a:1?port=7777&memory=2g&cpus=1.5&processes=64&tmpfs=8m&user=1000:100&pull=missing serve --log 'a b'"
    )
    limits = Limits(memory=2048 * MIB, cpus=1.5, processes=64, tmpfs=8 * MIB)
    assert image_name_of(name) == ImageName(
        image="a:1", command=("serve", "--log", "a b"), port=7777, pull=True, user="1000:100", limits=limits
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "an image is needed"),
        ("Upper", "an image is needed"),
        ("a:b:c", "an image is needed"),
        ("a@sha256:12", "an image is needed"),
        ("--privileged", "an image is needed"),
        ("a?privileged=yes", f"no setting 'privileged'; there are: {', '.join(SETTINGS)}"),
        ("a?port=1&port=2", "port stands there twice"),
        ("a?port=0", "'0' is no whole number from 1 to 65535"),
        ("a?memory=1k", "less than 6m"),
        ("a?memory=much", "'much' is no size such as 512m or 2g"),
        ("a?cpus=0", "'0' is no number of processors"),
        ("a?cpus=1e9", "'1e9' is no number of processors"),
        ("a?pull=always", "'always' is neither missing nor never"),
        ("a?user=a/b", "'a/b' is no user such as 1000:1000"),
        ("a 'b", "cannot be split into words: No closing quotation"),
    ],
)
def test_a_name_that_cannot_be_read_is_refused_with_the_reason(name: str, words: str):
    with pytest.raises(ValueError, match=re.escape(words)):
        image_name_of(name)


@pytest.mark.parametrize(("text", "size"), [("1", 1), ("2k", 2048), ("3M", 3 * MIB), ("1g", 1024 * MIB)])
def test_sizes_are_written_with_a_letter(text: str, size: int):
    assert bytes_of(text) == size


def test_without_an_engine_one_line_says_what_to_start(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("docker", reason="the extra [docker] is not installed")
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such.sock")
    candidate = find_candidate("docker:adapter:1")
    assert (candidate.kind, candidate.in_process) == (CandidateKind.DOCKER, False)
    with pytest.raises(
        MissingToolError, match=r"no Docker engine answers at unix:///no/such\.sock: start"
    ) as error:
        candidate.open()
    assert "\n" not in str(error.value)


def test_only_a_process_of_this_machine_that_has_ended_is_gone():
    mine = this_process()
    assert not is_gone(str(mine))
    assert is_gone(str(Owner(mine.machine, mine.boot, mine.space, mine.pid, "another start")))
    assert is_gone(str(Owner(mine.machine, "another boot", "", 1, "")))
    assert not is_gone(str(Owner("another machine", mine.boot, mine.space, mine.pid, "another start")))
    assert not is_gone(str(Owner(mine.machine, mine.boot, "another container", mine.pid, "another start")))
    assert not any(map(is_gone, ("", "true", "a/b/c/d/e", "////")))
