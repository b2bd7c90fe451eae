"""Candidates in containers: engine and images are found once, and all adapters are started from the same.

Knows when something is looked for, started and swept, not how a container is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.adapters.container.container_adapter import Container, ContainerAdapter
from plumbline.adapters.container.engine import Engine, Image, user_of
from plumbline.adapters.container.image_name import ImageName
from plumbline.adapters.container.system import SystemAdapter
from plumbline.adapters.container.system_file import SystemFile
from plumbline.adapters.errors import MissingToolError
from plumbline.adapters.process.client import ReplyLimits


class ImageCandidate:
    """An image of an engine, found once: each container of a run is started from the same."""

    def __init__(
        self, name: ImageName, limits: ReplyLimits | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Find the engine and the image; remove what earlier runs have left.

        Raises:
            MissingToolError: there is no engine, or it has no such image.
            AdapterError: the engine fails.
        """
        self._name = name
        self._limits = limits
        self._environment = environment
        self._engine = _swept_engine()
        if name.port is not None and not self._engine.is_local:
            raise MissingToolError("a port is published on this machine only, and the engine runs on another")
        self._image = self._engine.image(name)

    @property
    def description(self) -> str:
        """Which image it is, who runs it within which limits, and on which engine."""
        way = "no network" if self._name.port is None else f"port {self._name.port} on 127.0.0.1"
        return f"{_described(self._engine, self._name, self._image)}; {way}; Docker {self._engine.version}"

    def open(self) -> ContainerAdapter:
        """A fresh container; raises AdapterError."""
        channel = Container(self._engine, self._image, self._name, self._environment)
        return ContainerAdapter(channel, self._limits)


class SystemCandidate:
    """A system in containers; its images are found once. Raises as ImageCandidate does."""

    def __init__(
        self,
        system: SystemFile,
        limits: ReplyLimits | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._system = system
        self._limits = limits
        self._environment = environment
        self._engine = _swept_engine()
        self._images = (self._engine.image(system.adapter), self._engine.image(system.member))

    @property
    def description(self) -> str:
        """Which images they are, who runs them within which limits, and on which engine."""
        adapter = _described(self._engine, self._system.adapter, self._images[0])
        member = _described(self._engine, self._system.member, self._images[1])
        return f"adapter {adapter}; each member {member}; Docker {self._engine.version}"

    def open(self) -> SystemAdapter:
        """A fresh adapter, without members until it is deployed; raises AdapterError."""
        return SystemAdapter(self._engine, self._system, self._images, self._limits, self._environment)


def _swept_engine() -> Engine:
    engine = Engine()
    engine.sweep()
    engine.remove_own_at_exit()
    return engine


def _described(engine: Engine, name: ImageName, image: Image) -> str:
    limits = engine.limits_in_words(name.limits)
    return f"image {name.image} {image.digest}, user {user_of(name, image)}, {limits}"
