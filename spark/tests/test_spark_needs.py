from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from plumbline.spark import session
from plumbline.spark.session import MissingSparkError, require_spark

SPARK = Path(session.__file__).parent


def test_a_missing_library_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch):
    def without_pyspark(name: str) -> object:
        return None if name == "pyspark" else find_spec(name)

    monkeypatch.setattr("importlib.util.find_spec", without_pyspark)
    with pytest.raises(
        MissingSparkError, match=r"pyspark is not installed.*pip install 'pyspark.*--engine duckdb"
    ):
        require_spark()


@pytest.fixture
def with_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    for name in ("JAVA_HOME", "PYSPARK_GATEWAY_PORT", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("with_library")
def test_a_missing_java_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingSparkError, match=r"no java found.*apt-get install.*--engine duckdb"):
        require_spark()


@pytest.mark.usefixtures("with_library")
@pytest.mark.parametrize(
    ("words", "good"),
    [
        ('openjdk version "11.0.2"', False),
        ('java version "1.8.0_401"', False),
        ('openjdk version "17.0.15"', True),
    ],
)
def test_an_old_java_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: str, good: bool):
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    if good:
        require_spark()
    else:
        with pytest.raises(MissingSparkError, match=r"Spark needs Java 17 or newer"):
            require_spark()


@pytest.mark.usefixtures("with_library")
def test_where_a_cluster_is_named_no_java_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    require_spark()


def test_nothing_of_the_room_imports_pyspark_before_a_session_is_asked_for():
    script = (
        "import sys; import plumbline.spark.engine, plumbline.spark.session, plumbline.spark.__main__; "
        "sys.exit('pyspark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_no_other_folder_imports_pyspark():
    root = SPARK.parent
    importing = [
        path
        for folder in ("adapters", "ci", "reference", "reports", "suites")
        for path in (root / folder).rglob("*.py")
        if any(
            line.lstrip().startswith(("import pyspark", "from pyspark"))
            for line in path.read_text().splitlines()
        )
    ]
    assert importing == []
