"""The one cache listener of a JVM, made in the JVM itself: it tells Python all of an event in one piece.

A listener of Python that is handed the event has to ask it for one thing after the other, while the operation
waits. Knows nothing of what is told: that is the regions' listeners' (`listener.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from plumbline.adapters.geode.argument import argument_of, token_of
from plumbline.adapters.geode.handles import Handles, fields
from plumbline.adapters.geode.listener import RegionListener
from plumbline.reference.history.operations import EventKind

_VALUED = {"afterCreate": EventKind.CREATE, "afterUpdate": EventKind.UPDATE}
_ARGUED = {"afterInvalidate": EventKind.INVALIDATE, "afterDestroy": EventKind.DESTROY}
_WHOLE = {"afterRegionInvalidate": EventKind.REGION_INVALIDATE, "afterRegionClear": EventKind.CLEAR}
_GONE = "afterRegionDestroy"
_LIVE = "afterRegionLive"
UNREAD = "unread"
"""What is told where the JVM itself could not read an event."""


_LISTENER = "org.apache.geode.cache.CacheListener"


class Telling:
    """Regions' listeners behind one listener of Geode.

    Attributes:
        listeners: of the regions of this JVM, by the names that they have in Geode.
        listener: what Geode is handed.
    """

    def __init__(self, java: Any, handles: Handles) -> None:
        self.listeners: dict[str, RegionListener] = {}
        self._java = java
        self._handles = handles
        self.listener = self._made()

    def forget(self, but: str) -> None:
        """All regions but one have been dropped: further events of them do not count."""
        self.listeners = {name: listener for name, listener in self.listeners.items() if name == but}

    def tell(self, words: str) -> None:
        """An event was told, on one of Geode's threads; comes back when its operation may go on."""
        told = fields(words)
        if words == UNREAD:
            for each in tuple(self.listeners.values()):
                each.tell_trouble("the listener could not read its event")
            return
        listener = self.listeners.get(told[1] or "")
        if listener is None:  # a region that has been dropped
            return
        name = told[0] or ""
        if name in _WHOLE:
            listener.tell_whole(_WHOLE[name], remote=told[2] == "true")
        elif name == _GONE:
            # Where an example gives its region up, or a cache closes, there is no callback argument.
            if told[3] is not None:
                listener.tell_whole(EventKind.REGION_DESTROY, remote=told[2] == "true")
        elif name == _LIVE:
            listener.tell_live()
        else:
            kind = _VALUED.get(name) or _ARGUED[name]
            given = told[-1]
            token = told[4] if name in _VALUED else token_of(given)
            remote = told[2] == "true"
            listener.tell(kind, told[3] or "", token, remote=remote, argument=argument_of(given))

    def _made(self) -> Any:
        """An object of Java that is a listener, and hands on what it is told in words."""
        handles = self._handles
        cache = "org.apache.geode.cache."
        event, entry = handles.named(f"{cache}CacheEvent"), handles.named(f"{cache}EntryEvent")
        region = handles.chain(
            handles.method(event, "getRegion"), handles.method(handles.named(f"{cache}Region"), "getName")
        )
        remote = handles.method(event, "isOriginRemote")
        key = handles.method(entry, "getKey")
        argument = handles.method(event, "getCallbackArgument")
        of_value = (region, remote, key, handles.method(entry, "getNewValue"), argument)
        of_argument = (region, remote, key, argument)
        # Its other methods: `close`, and what any object is asked.
        answers = self._java.java.util.HashMap()
        answers.put("hashCode", 1)
        answers.put("equals", False)  # noqa: FBT003
        answers.put("toString", "the listener of all regions")
        name = handles.method(handles.named("java.lang.reflect.Method"), "getName")
        answer = handles.method(handles.named("java.util.Map"), "get", handles.anything)
        told = handles.called(handles.chain(name, handles.bind(answer, 0, answers)))
        teller = handles.named("java.util.function.Function")
        teller = handles.fixed(handles.method(teller, "apply", handles.anything), _Teller(self.tell))
        for names, parts in (
            ({*_WHOLE, _LIVE}, (region, remote)),
            ({_GONE}, (region, remote, argument)),
            ({*_ARGUED}, of_argument),
            ({*_VALUED}, of_value),
        ):
            words = handles.unless(handles.called_with(name, *parts), "java.lang.Throwable", UNREAD)
            told = handles.where_called(names, name, handles.chain(words, teller), told)
        return handles.answering(handles.named(_LISTENER), told)


class _Teller:
    """What the JVM calls with the words of an event."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def apply(self, words: str) -> None:
        """Tell."""
        self._tell(words)

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["java.util.function.Function"]
