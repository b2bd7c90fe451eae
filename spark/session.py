"""A Spark session that keeps quiet, leaves nothing behind, and says what is missing where it cannot start.

Under spark-submit, or with SPARK_REMOTE set, the session is the one that the environment names; else it is
local, with two threads. Knows nothing of what it is used for.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from plumbline.reference.distribution import how_to_install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
_LOCAL_MASTER = "local[2]"
_GOODBYE_SECONDS = 20


class MissingSparkError(Exception):
    """PySpark or Java is missing or did not start; the message says how to get it."""


def environment_names_a_cluster() -> bool:
    """Whether spark-submit started this process, or SPARK_REMOTE names a Spark Connect server."""
    return "PYSPARK_GATEWAY_PORT" in os.environ or "SPARK_REMOTE" in os.environ


def require_spark() -> None:
    """Raises MissingSparkError, with the remedy, where no session can be started."""
    for library in ("pyspark", "pandas"):
        if importlib.util.find_spec(library) is None:
            raise MissingSparkError(
                f"{library} is not installed. Install it with: {how_to_install('spark')}; "
                "or judge without Spark: --engine duckdb"
            )
    if not environment_names_a_cluster():
        _require_java()


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    remedy = (
        f"Spark needs Java {LEAST_JAVA} or newer: apt-get install openjdk-17-jre-headless (Debian, Ubuntu); "
        "or judge without Spark: --engine duckdb"
    )
    if java is None:
        raise MissingSparkError(f"no java found. {remedy}")
    try:
        asked = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingSparkError(f"{java} does not run ({error}). {remedy}") from error
    words = asked.stderr
    version = re.search(r'version "(?:1\.)?(\d+)', words)
    if version is None or int(version[1]) < LEAST_JAVA:
        raise MissingSparkError(f"{java} is {words.splitlines()[0] if words else 'silent'}. {remedy}")


@contextmanager
def spark_session(name: str = "plumbline") -> Iterator[SparkSession]:
    """A session, stopped at the end together with the Java process that was started for it.

    Raises MissingSparkError.
    """
    require_spark()
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only here is it known to be installed

    # Workers would otherwise take the first python3 on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name).config("spark.sql.session.timeZone", "UTC")
    if environment_names_a_cluster():
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()
        return
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with tempfile.TemporaryDirectory(prefix="plumbline-spark-") as scratch, tempfile.TemporaryFile() as log:
        local = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": scratch,
            "spark.sql.warehouse.dir": str(Path(scratch, "warehouse")),
            "spark.sql.shuffle.partitions": "2",
            # DuckDB judges, in processes of its own: what Java does is short, and not worth compiling well.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        for key, value in local.items():
            builder = builder.config(key, value)
        with _errors_into(log):
            try:
                session = builder.master(_LOCAL_MASTER).getOrCreate()
            except Exception as error:
                raise MissingSparkError(f"Spark did not start: {error}\n{_tail(log)}") from error
        try:
            yield session
        finally:
            session.stop()
            _end_java()


@contextmanager
def _errors_into(log: IO[bytes]) -> Iterator[None]:
    """Processes started within write their error stream, for as long as they live, into the log."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _tail(log: IO[bytes], size: int = 2000) -> str:
    end = log.seek(0, os.SEEK_END)
    log.seek(max(0, end - size))
    return log.read().decode(errors="replace").strip()


def _end_java() -> None:
    """PySpark leaves its Java process running until Python ends; here it ends with the session."""
    from pyspark import SparkContext  # noqa: PLC0415 - as above

    gateway = SparkContext._gateway  # noqa: SLF001 - PySpark has no public way
    if gateway is None:
        return
    process = getattr(gateway, "proc", None)
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - so that a later session starts afresh
    if process is not None:
        process.stdin.close()
        try:
            process.wait(_GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
