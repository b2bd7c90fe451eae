"""The name of a candidate in a container: the image, what is set for its container, and the command in it.

Reads `IMAGE[@DIGEST][?SETTING=VALUE&...] [COMMAND...]`. Knows no engine.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

MIB = 1024 * 1024

_REFERENCE = re.compile(
    r"(?:[A-Za-z0-9.-]+(?::\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
    r"|sha256:[0-9a-f]{64}"
)
_UNITS = {"": 1, "k": 1024, "m": MIB, "g": 1024 * MIB}


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a container may use.

    Attributes:
        memory: bytes; what uses more is killed.
        cpus: processors' worth of time.
        processes: processes and threads at a time.
        tmpfs: bytes of `/tmp`, the only place that may be written.
    """

    memory: int = 1024 * MIB
    cpus: float = 2.0
    processes: int = 512
    tmpfs: int = 64 * MIB


class ImageName(msgspec.Struct, frozen=True, kw_only=True):
    """What stands behind `docker:`.

    Attributes:
        image: a name that an engine knows, with its tag or digest, or an image's id.
        command: what is started in place of the image's own command; () leaves that.
        port: a port in the container that speaks the protocol; None for standard input and output.
        pull: whether the image may be fetched where the engine lacks it.
        user: who runs it; "" for the image's user, or 65534 where that is root.
        limits: what it may use.
    """

    image: str
    command: tuple[str, ...] = ()
    port: int | None = None
    pull: bool = False
    user: str = ""
    limits: Limits = Limits()


def image_name_of(text: str) -> ImageName:
    """The image that a text names; raises ValueError with the reason."""
    try:
        first, *command = shlex.split(text) or [""]
    except ValueError as error:
        raise ValueError(f"the command cannot be split into words: {error}") from None
    image, _, settings = first.partition("?")
    if not _REFERENCE.fullmatch(image):
        raise ValueError("an image is needed: `docker:NAME[:TAG]` or `docker:NAME@sha256:DIGEST`")
    said = _settings_of(settings)
    limits = {name: said.pop(name) for name in list(said) if name in Limits.__struct_fields__}
    return ImageName(image=image, command=tuple(command), limits=Limits(**limits), **said)


def bytes_of(text: str) -> int:
    """A size such as `512m` in bytes; raises ValueError."""
    found = re.fullmatch(r"([1-9]\d{0,12})([kmg]?)", text.lower())
    if found is None:
        raise ValueError("is no size such as 512m or 2g")
    return int(found[1]) * _UNITS[found[2]]


def _settings_of(text: str) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for part in filter(None, text.split("&")):
        name, _, value = part.partition("=")
        if name not in SETTINGS:
            raise ValueError(f"there is no setting {name!r}; there are: {', '.join(SETTINGS)}")
        if name in said:
            raise ValueError(f"the setting {name} stands there twice")
        try:
            said[name] = SETTINGS[name](value)
        except ValueError as error:
            raise ValueError(f"the setting {name}: {value!r} {error}") from None
    return said


def _memory(text: str) -> int:
    if (size := bytes_of(text)) < 6 * MIB:
        raise ValueError("is less than 6m, the least that engines accept")
    return size


def _cpus(text: str) -> float:
    if not re.fullmatch(r"\d{1,4}(\.\d{1,2})?", text) or float(text) <= 0:
        raise ValueError("is no number of processors such as 1.5")
    return float(text)


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise ValueError(f"is no whole number from {low} to {high}")
        return int(text)

    return read


def _pull(text: str) -> bool:
    if text not in ("missing", "never"):
        raise ValueError("is neither missing nor never")
    return text == "missing"


def _user(text: str) -> str:
    if not re.fullmatch(r"[\w.-]+(:[\w.-]+)?", text):
        raise ValueError("is no user such as 1000:1000")
    return text


SETTINGS: Mapping[str, Callable[[str], Any]] = {
    "port": _whole(1, 65_535),
    "memory": _memory,
    "cpus": _cpus,
    "processes": _whole(1, 1_000_000),
    "tmpfs": bytes_of,
    "user": _user,
    "pull": _pull,
}
"""What can be set for a container, and how each value is read."""
