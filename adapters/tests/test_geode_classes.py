"""The classes of members, kept in an archive: made once, left aside where it cannot be, and really used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode import cluster
from plumbline.adapters.geode.classes import kept
from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.jars import Jars
from plumbline.reference.history.operations import Site, Topology

pytestmark = pytest.mark.java


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Jars:
    """A jar that is none, and an empty cache."""
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "cache"))
    jar = tmp_path / "geode-core-9.9.9.jar"
    jar.write_text("classes")
    return Jars("9.9.9", (jar,))


def written(draft: Path, text: str) -> None:
    draft.write_text(text)


def test_an_archive_is_made_once_and_another_when_a_jar_is_another(jars: Jars):
    made: list[Path] = []

    def make(draft: Path) -> None:
        made.append(draft)
        draft.write_text("archive")

    first = kept(jars, make)
    assert first is not None
    assert first.read_text() == "archive"
    assert kept(jars, make) == first
    assert len(made) == 1
    jars.paths[0].write_text("other classes")
    assert kept(jars, make) not in (None, first)
    assert len(made) == 2


def test_where_no_archive_comes_about_there_is_none_and_the_next_tries_again(jars: Jars):
    def dies(draft: Path) -> None:
        draft.write_text("half of it")
        raise AdapterError("the JVM died")

    assert kept(jars, dies) is None
    assert kept(jars, lambda _: None) is None
    archive = kept(jars, lambda draft: written(draft, "whole"))
    assert archive is not None
    assert archive.read_text() == "whole"


def test_what_was_not_used_for_long_goes_when_another_is_made(jars: Jars):
    archives: list[Path] = []
    for text in ("classes of long ago", "classes of today"):
        jars.paths[0].write_text(text)
        archive = kept(jars, lambda draft: written(draft, "archive"))
        assert archive is not None
        archives.append(archive)
    old, new = archives
    os.utime(old, (0, 0))
    assert kept(jars, lambda draft: written(draft, "archive")) == new
    assert old.exists(), "an unused archive stays until another is made"
    jars.paths[0].write_text("classes of tomorrow")
    assert kept(jars, lambda draft: written(draft, "archive")) not in (None, new)
    assert (old.exists(), new.exists()) == (False, True)


def test_an_archive_that_is_used_is_kept(jars: Jars):
    archive = kept(jars, lambda draft: written(draft, "archive"))
    assert archive is not None
    os.utime(archive, (0, 0))
    assert kept(jars, lambda draft: written(draft, "another")) == archive
    jars.paths[0].write_text("other classes")
    assert kept(jars, lambda draft: written(draft, "archive")) != archive
    assert archive.exists()


def test_where_the_cache_cannot_be_written_there_is_no_archive(
    jars: Jars, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "a file").touch()
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "a file"))
    assert kept(jars, lambda draft: written(draft, "archive")) is None


def test_who_has_no_home_directory_has_no_archive(jars: Jars, monkeypatch: pytest.MonkeyPatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("PLUMBLINE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert kept(jars, lambda draft: written(draft, "archive")) is None


def mapped_by_a_member() -> list[str]:
    """The archives that a member has mapped, which has joined its cluster."""
    with GeodeAdapter("1.15.1") as adapter:
        adapter.deploy(Topology((Site(1, ("A",)),)))
        pid = adapter._cluster.members["A"].jvm.pid
        maps = Path(f"/proc/{pid}/maps").read_text().split()
    return sorted({word for word in maps if word.endswith(".jsa") and not word.startswith("/usr")})


def test_a_member_takes_its_classes_from_the_archive_of_its_jars():
    (archive,) = mapped_by_a_member()
    assert Path(archive).name.startswith("classes-")
    assert not list(Path(archive).parent.glob("classes-*.part"))


def test_a_damaged_archive_hinders_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    damaged = tmp_path / "classes-damaged.jsa"
    damaged.write_bytes(b"no archive" * 1000)
    monkeypatch.setattr(cluster, "kept", lambda *_: damaged)
    assert mapped_by_a_member() == []
