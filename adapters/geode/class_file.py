"""A Java class made here: Geode's hook on the way of a copy, which runs what it is handed.

Geode's own tests hold copies by it. It is an abstract class, and py4j has Python implement interfaces alone.
So the class is written byte by byte, as chapter 4 of "The Java Virtual Machine Specification" says. It needs
no compiler. Knows nothing of what a copy brings.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

_OPERATION = "org/apache/geode/internal/cache/InitialImageOperation"
_SUPER = f"{_OPERATION}$GIITestHook"
_TYPE = f"{_OPERATION}$GIITestHookType"
NAME = "PlumblineCopyHook"
_JAVA_NAME = _OPERATION.replace("/", ".")

_JAVA_6 = 50
"""Classes of that version need no tables of what lies on the stack."""
_PUBLIC, _PRIVATE, _SUPER_CALLS = 0x0001, 0x0002, 0x0020
_UTF8, _CLASS, _FIELD, _METHOD, _INTERFACE_METHOD, _NAME_AND_TYPE = 1, 7, 9, 10, 11, 12
_ALOAD_0, _ALOAD_1, _ALOAD_2, _ALOAD_3 = 0x2A, 0x2B, 0x2C, 0x2D
_RETURN, _GETFIELD, _PUTFIELD, _INVOKESPECIAL, _INVOKEINTERFACE = 0xB1, 0xB4, 0xB5, 0xB7, 0xB9


class _Pool:
    """The constants of a class, each once."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def _number(self, constant: bytes) -> int:
        return self._numbers.setdefault(constant, len(self._numbers) + 1)

    def text(self, words: str) -> int:
        """The number of a text."""
        return self._number(struct.pack(">BH", _UTF8, len(words)) + words.encode())

    def of_class(self, name: str) -> int:
        """The number of a class."""
        return self._number(struct.pack(">BH", _CLASS, self.text(name)))

    def member(self, tag: int, owner: str, name: str, kind: str) -> int:
        """The number of a field or method of a class."""
        named = self._number(struct.pack(">BHH", _NAME_AND_TYPE, self.text(name), self.text(kind)))
        return self._number(struct.pack(">BHH", tag, self.of_class(owner), named))

    def written(self) -> bytes:
        """All of them, behind how many there are."""
        return struct.pack(">H", len(self._numbers) + 1) + b"".join(self._numbers)


def copy_hook() -> bytes:
    """The class: its constructor takes a place, a region's name and a Runnable; `run` runs that one."""
    pool = _Pool()
    kind = f"(L{_TYPE};Ljava/lang/String;Ljava/lang/Runnable;)V"
    above = pool.member(_METHOD, _SUPER, "<init>", f"(L{_TYPE};Ljava/lang/String;)V")
    field = pool.member(_FIELD, NAME, "runs", "Ljava/lang/Runnable;")
    runs = pool.member(_INTERFACE_METHOD, "java/lang/Runnable", "run", "()V")
    code = pool.text("Code")

    def method(name: str, signature: str, stack: int, variables: int, body: bytes) -> bytes:
        told = struct.pack(">HHI", stack, variables, len(body)) + body + struct.pack(">HH", 0, 0)
        head = struct.pack(">HHHH", _PUBLIC, pool.text(name), pool.text(signature), 1)
        return head + struct.pack(">HI", code, len(told)) + told

    def reaches(operation: int, constant: int) -> bytes:
        return struct.pack(">BH", operation, constant)

    begins = (
        bytes((_ALOAD_0, _ALOAD_1, _ALOAD_2))
        + reaches(_INVOKESPECIAL, above)
        + bytes((_ALOAD_0, _ALOAD_3))
        + reaches(_PUTFIELD, field)
        + bytes((_RETURN,))
    )
    called = (
        bytes((_ALOAD_0,))
        + reaches(_GETFIELD, field)
        + reaches(_INVOKEINTERFACE, runs)
        + bytes((1, 0, _RETURN))
    )
    methods = (
        method("<init>", kind, 3, 4, begins)
        + method("run", "()V", 1, 1, called)
        + method("reset", "()V", 0, 1, bytes((_RETURN,)))
    )
    kept = struct.pack(">HHHH", _PRIVATE, pool.text("runs"), pool.text("Ljava/lang/Runnable;"), 0)
    own, parent = pool.of_class(NAME), pool.of_class(_SUPER)
    head = struct.pack(">IHH", 0xCAFEBABE, 0, _JAVA_6)
    which = struct.pack(">HHHH", _PUBLIC | _SUPER_CALLS, own, parent, 0)
    fields = struct.pack(">H", 1) + kept
    return head + pool.written() + which + fields + struct.pack(">H", 3) + methods + struct.pack(">H", 0)


def held_by(gateway: Any, folder: Path, region: str, runs: Any) -> Any:
    """Have a JVM run something as the first part of a copy reaches it; gives the place, to take it back.

    Args:
        gateway: the JVM, by py4j.
        folder: where the class is kept; the JVM reads it there.
        region: by the name that it has in Geode.
        runs: a Runnable.
    """
    java = gateway.jvm
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.class").write_bytes(copy_hook())
    where = gateway.new_array(java.java.net.URL, 1)
    where[0] = java.java.io.File(str(folder)).toURI().toURL()
    internal = java.org.apache.geode.internal.cache
    operation = internal.InitialImageOperation
    place = getattr(internal, "InitialImageOperation$GIITestHookType").AfterReceivedImageReply
    loader = java.java.net.URLClassLoader(where, java.java.lang.Class.forName(_JAVA_NAME).getClassLoader())
    handed = java.java.util.ArrayList()
    for one in (place, region, runs):
        handed.add(one)
    operation.setGIITestHook(loader.loadClass(NAME).getConstructors()[0].newInstance(handed.toArray()))
    return place


def let_go(gateway: Any, place: Any) -> None:
    """Have a JVM hold copies no more."""
    gateway.jvm.org.apache.geode.internal.cache.InitialImageOperation.resetGIITestHook(place, True)  # noqa: FBT003
