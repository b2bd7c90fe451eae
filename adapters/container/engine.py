"""The Docker engine: finding it, its images and its limits, and removing what runs have left in it.

Knows what an engine offers, not what a container says.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import docker
import msgspec
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from requests.exceptions import RequestException

from plumbline.adapters.container.image_name import MIB, ImageName, Limits
from plumbline.adapters.container.owners import LABEL, is_gone, this_process
from plumbline.adapters.errors import AdapterError, MissingToolError
from plumbline.adapters.process.messages import shorten

OLDEST = "20.10"
_OLDEST_API = (1, 41)

CALL_S = 60
"""Most that an engine may take for one answer."""

ENGINE_ERRORS = (DockerException, RequestException, OSError)
"""What a call of an engine raises."""

UNPRIVILEGED = "65534:65534"
_ROOT = ("", "0", "root")


class Image(msgspec.Struct, frozen=True):
    """An image that an engine has.

    Attributes:
        key: its id, by which it is started: a name may lead to another image meanwhile.
        digest: its digest in a registry, or its id where it comes from none.
        user: who runs it; "" for root.
    """

    key: str
    digest: str
    user: str


class Engine:
    """A Docker engine that answers.

    Attributes:
        client: speaks to it.
        version: its version.
        refused: the limits that it cannot set on this machine, for people.

    Raises:
        MissingToolError: none answers, or it is older than OLDEST; says what to do.
    """

    def __init__(self, call_s: float = CALL_S) -> None:
        """Speak to the engine of the environment; a call fails after `call_s` seconds without an answer."""
        try:
            self.client: Any = docker.from_env(timeout=call_s)
            said = self.client.version()
            info = self.client.info()
        except ENGINE_ERRORS as error:
            raise MissingToolError(_no_engine(error)) from None
        self.version = str(said.get("Version", ""))
        api = tuple(int(part) for part in str(said.get("ApiVersion", "0")).split(".") if part.isdigit())
        if api < _OLDEST_API:
            raise MissingToolError(
                f"Docker Engine {shorten(self.version)} is too old; {OLDEST} or newer is needed"
            )
        self._cpus = float(info.get("NCPU") or 1)
        self._has_swap_limit = bool(info.get("SwapLimit"))
        has = {"memory": "MemoryLimit", "cpus": "CpuCfsQuota", "processes": "PidsLimit"}
        self.refused = tuple(name for name, key in has.items() if not info.get(key))

    @property
    def is_local(self) -> bool:
        """Whether its published ports are ports of this machine."""
        base = str(self.client.api.base_url)
        return base.startswith("http+docker://local") or "//127.0.0.1" in base or "//localhost" in base

    def image(self, name: ImageName) -> Image:
        """The image of a name; raises MissingToolError where the engine lacks it and may not fetch it."""
        with told(f"image {name.image}"):
            try:
                found = self.client.images.get(name.image)
            except ImageNotFound:
                if not name.pull:
                    raise MissingToolError(
                        f"the Docker engine has no image {name.image}: build it, load it or fetch it "
                        f"(`docker pull {name.image}`). For runs that fetch it: "
                        f"`docker:{name.image}?pull=missing`"
                    ) from None
                found = self.client.images.pull(name.image)
        digests = found.attrs.get("RepoDigests") or [found.id]
        user = str((found.attrs.get("Config") or {}).get("User") or "")
        return Image(found.id, str(digests[0]).rpartition("@")[2], user)

    def host_settings(self, limits: Limits) -> dict[str, Any]:
        """How a container is shut in: no rights, a root that cannot be written, and the limits."""
        settings: dict[str, Any] = {
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "read_only": True,
            "tmpfs": {"/tmp": f"size={limits.tmpfs},mode=1777,nosuid,nodev"},  # noqa: S108 - the container's own
            "log_config": {"Type": "none", "Config": {}},
        }
        if "memory" not in self.refused:
            settings["mem_limit"] = limits.memory
            if self._has_swap_limit:
                settings["memswap_limit"] = limits.memory
        if "cpus" not in self.refused:
            settings["nano_cpus"] = int(min(limits.cpus, self._cpus) * 1_000_000_000)
        if "processes" not in self.refused:
            settings["pids_limit"] = limits.processes
        return settings

    def limits_in_words(self, limits: Limits) -> str:
        """What a container may use here, and which limits this engine refuses."""
        words = {
            "memory": f"{limits.memory // MIB} MiB of memory",
            "cpus": f"{min(limits.cpus, self._cpus):g} CPUs",
            "processes": f"{limits.processes} processes",
        }
        kept = ", ".join(text for name, text in words.items() if name not in self.refused)
        lacking = ", ".join(self.refused)
        refusal = f"the engine refuses limits on {lacking}" if lacking else ""
        return "; ".join(filter(None, (f"at most {kept}" if kept else "", refusal)))

    def remove(self, container: str, network: str = "", volume: str = "") -> None:
        """Remove a container, its network and its volumes; never raises, may be called twice.

        Args:
            container: its id; "" for none. Volumes without a name go with it.
            network: the id of a network; "" for none.
            volume: the name of a volume; "" for none.
        """
        if container:
            with suppress(*ENGINE_ERRORS):
                self.client.api.remove_container(container, force=True, v=True)
        if network:
            with suppress(*ENGINE_ERRORS):
                self.client.api.remove_network(network)
        if volume:
            with suppress(*ENGINE_ERRORS):
                self.client.api.remove_volume(volume)

    def sweep(self) -> None:
        """Remove what runs whose process is gone have left here; never raises."""
        self._remove_labelled(is_gone)

    def remove_own_at_exit(self) -> None:
        """Have all that this process makes here removed when it ends, should anything be left by then."""
        owner = str(this_process())
        atexit.register(self._remove_labelled, owner.__eq__)

    def _remove_labelled(self, chosen: Callable[[str], bool]) -> None:
        api = self.client.api
        marked = {"label": LABEL}
        with suppress(*ENGINE_ERRORS):
            for one in api.containers(all=True, filters=marked):
                if chosen(one["Labels"][LABEL]):
                    self.remove(one["Id"])
            for one in api.networks(filters=marked):
                if chosen(one["Labels"][LABEL]):
                    self.remove("", network=one["Id"])
            for one in api.volumes(filters=marked)["Volumes"] or ():
                if chosen(one["Labels"][LABEL]):
                    self.remove("", volume=one["Name"])


def user_of(name: ImageName, image: Image) -> str:
    """Who runs a container: the user asked for, else that of the image, or an unprivileged one for root."""
    if name.user:
        return name.user
    return UNPRIVILEGED if image.user.partition(":")[0] in _ROOT else image.user


def labels() -> dict[str, str]:
    """What marks a container, a network or a volume as this process's."""
    return {LABEL: str(this_process())}


@contextmanager
def told(what: str) -> Iterator[None]:
    """Raise AdapterError with a plain sentence where a call of the engine fails."""
    try:
        yield
    except ENGINE_ERRORS as error:
        raise AdapterError(f"{what}: {explained(error)}") from None


def explained(error: BaseException) -> str:
    """What an engine's error says, on one line."""
    if isinstance(error, APIError) and error.explanation:
        return shorten(str(error.explanation), 500)
    if isinstance(error, NotFound):
        return "it is not there any more"
    return f"the Docker engine does not answer: {shorten(str(error), 300)}"


def _no_engine(error: BaseException) -> str:
    place = os.environ.get("DOCKER_HOST") or "the place of this user's Docker context"
    if "Permission denied" in str(error) or isinstance(error, PermissionError):
        return (
            f"this user may not use the Docker engine at {place}: join the group docker, or start an engine "
            "without root"
        )
    return (
        f"no Docker engine answers at {place}: start one (`systemctl start docker`, or Docker Desktop), "
        f"or name another by DOCKER_HOST ({shorten(str(error), 200)})"
    )
