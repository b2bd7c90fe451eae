import os
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.ci import set_up
from plumbline.ci.lint import ROOT


def write_script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("told", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_402"', 1),
        ("nothing of the kind", 0),
    ],
)
def test_the_version_of_a_java_is_read_from_what_it_says(tmp_path: Path, told: str, version: int):
    java = write_script(tmp_path / "java", f"#!/bin/sh\necho '{told}' >&2\n")
    assert set_up.java_version(java) == version


def test_a_java_that_is_not_there_or_does_not_start_has_no_version(tmp_path: Path):
    assert set_up.java_version(tmp_path / "java") == 0
    assert set_up.java_version(write_script(tmp_path / "java", "#!/bin/sh\nexit 1\n")) == 0


def test_an_old_java_home_gives_way_to_a_newer_java_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_script(tmp_path / "old" / "bin" / "java", "#!/bin/sh\necho 'version \"11.0.2\"' >&2\n")
    write_script(tmp_path / "new" / "java", "#!/bin/sh\necho 'version \"21.0.1\"' >&2\n")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path / "new"), prepend=":")
    assert set_up.find_java()
    assert "JAVA_HOME" not in os.environ


def test_the_java_shim_drops_only_the_module_that_the_java_lacks(tmp_path: Path):
    real = write_script(tmp_path / "real java", '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    shim = write_script(tmp_path / "java", set_up.JAVA_SHIM.format(java=real))
    arguments = ["-Da=b c", "--add-modules=jdk.incubator.vector", "-cp", "x y", "Main"]
    told = subprocess.run([shim, *arguments], capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["-Da=b c", "-cp", "x y", "Main"]


def test_without_a_program_the_usage_is_told():
    result = subprocess.run([sys.executable, "ci"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert all(f"  {name} " in result.stdout for name in set_up.PROGRAMS)


def test_where_nothing_can_be_installed_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(set_up, "STAMP", tmp_path / "none")
    monkeypatch.setattr(set_up, "find_spec", lambda _: None)
    monkeypatch.setattr(set_up, "install_packages", lambda *_: False)
    with pytest.raises(set_up.SetUpError, match=r"apt-get install python3\.\d+-venv"):
        set_up.make_environment()


def test_an_environment_made_from_the_same_pins_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    made: list[tuple[object, ...]] = []

    def run(*command: object) -> bool:
        made.append(command)
        return True

    monkeypatch.setattr(set_up, "STAMP", tmp_path / "made-from")
    monkeypatch.setattr(set_up, "run", run)
    set_up.make_environment()
    first = len(made)
    set_up.make_environment()
    assert len(made) == first > 0
    set_up.STAMP.write_text("other pins")
    set_up.make_environment()
    assert len(made) == 2 * first


def test_bytecode_is_kept_in_the_environment_where_none_is_to_be_written(monkeypatch: pytest.MonkeyPatch):
    names = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    for told, kept in (("1", str(set_up.VENV / "bytecode")), ("", None)):
        monkeypatch.setenv(names[0], told)
        monkeypatch.delenv(names[1], raising=False)
        set_up.keep_bytecode()
        assert [os.environ.get(name) for name in names] == [None, kept]


def test_whoever_has_named_a_place_for_bytecode_keeps_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "elsewhere")
    set_up.keep_bytecode()
    assert os.environ["PYTHONPYCACHEPREFIX"] == "elsewhere"


def test_as_a_module_it_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "plumbline.ci", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("plumbline ")
