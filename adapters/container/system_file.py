"""A file that describes a system in containers: the adapter's container, and those of its members.

Knows the file, no engine.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec

from plumbline.adapters.container.image_name import ImageName, image_name_of
from plumbline.reference.results.tables import read_table


class ContainerTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A container, with the settings that the name of an image may have.

    Attributes:
        image: its image.
        command: what is started in place of the image's own command; split as a shell does. In a member's,
            `{member}` and `{site}` stand for its name and the number of its site.
    """

    image: str
    command: str = ""
    memory: str | None = None
    cpus: int | float | None = None
    processes: int | None = None
    tmpfs: str | None = None
    user: str | None = None
    pull: str | None = None

    def name(self) -> ImageName:
        """The image and what is set; raises ValueError with the reason."""
        settings = {
            field: value
            for field in ("memory", "cpus", "processes", "tmpfs", "user", "pull")
            if (value := getattr(self, field)) is not None
        }
        query = "&".join(f"{field}={value}" for field, value in settings.items())
        return image_name_of(f"{shlex.quote(f'{self.image}?{query}')} {self.command}")


class MemberTable(ContainerTable, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The containers of members.

    Attributes:
        volume: a folder in the image that a member's restart from disk finds as it was; "" for none.
    """

    volume: str = ""


class SystemTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    adapter: ContainerTable
    member: MemberTable


class SystemFile(msgspec.Struct, frozen=True, kw_only=True):
    """A system in containers.

    Attributes:
        adapter: the container that speaks the protocol on its standard streams.
        member: the container of each member; its command has placeholders.
        volume: see MemberTable.
    """

    adapter: ImageName
    member: ImageName
    volume: str


def system_of(path: Path) -> SystemFile:
    """The system that a file describes; raises TableError, and ValueError with the reason."""
    table = read_table(path, SystemTable)
    names = {}
    for which in ("adapter", "member"):
        try:
            names[which] = getattr(table, which).name()
        except ValueError as error:
            raise ValueError(f"{path}: {which}: {error}") from None
    if table.member.volume and not re.fullmatch(r"(/[\w.-]+)+", table.member.volume):
        raise ValueError(f"{path}: member, volume: {table.member.volume!r} is no folder such as /data")
    return SystemFile(adapter=names["adapter"], member=names["member"], volume=table.member.volume)


def command_of(member: ImageName, name: str, site: int) -> tuple[str, ...]:
    """The command of one member, with its placeholders filled in."""
    return tuple(part.replace("{member}", name).replace("{site}", str(site)) for part in member.command)
