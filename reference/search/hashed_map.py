"""A persistent map that knows its own hash.

Hashing a whole `immutables.Map` is linear in its size; this one keeps the hash up to date with every
change, so that a search can remember thousands of large states.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

import msgspec
from immutables import Map

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)

_MISSING: Any = object()
_EMPTY: Map[Any, Any] = Map()
_KEY = itemgetter(0)


class HashedMap(msgspec.Struct, Generic[K, V], frozen=True, eq=False):
    """An immutable mapping; `set` and `delete` return another one and leave this one as it is."""

    _map: Map[K, V] = _EMPTY
    digest: int = 0

    def set(self, key: K, value: V) -> HashedMap[K, V]:
        """The mapping in which `key` stands for `value`."""
        old = self._map.get(key, _MISSING)
        digest = self.digest ^ hash((key, value))
        if old is not _MISSING:
            digest ^= hash((key, old))
        return HashedMap(self._map.set(key, value), digest)

    def delete(self, key: K) -> HashedMap[K, V]:
        """The mapping without `key`; this one if it is not there."""
        old = self._map.get(key, _MISSING)
        if old is _MISSING:
            return self
        return HashedMap(self._map.delete(key), self.digest ^ hash((key, old)))

    def get(self, key: K, default: Any = None) -> Any:
        """The value of `key`, or the default."""
        return self._map.get(key, default)

    def __getitem__(self, key: K) -> V:
        return self._map[key]

    def __contains__(self, key: object) -> bool:
        return key in self._map

    def __iter__(self) -> Iterator[K]:
        return iter(self._map)

    def items(self) -> Any:
        """Pairs of key and value, in no particular order, and in another one in every process."""
        return self._map.items()

    def in_order(self) -> Sequence[tuple[K, V]]:
        """Pairs of key and value, in the order of the keys, which must have one.

        For code that decides the order of steps. Python hashes strings anew in each process, and a search has
        to take the same steps in each of them.
        """
        if len(self._map) == 0:
            return ()
        return sorted(self._map.items(), key=_KEY)

    def values(self) -> Any:
        """Values, in no particular order."""
        return self._map.values()

    def __len__(self) -> int:
        return len(self._map)

    def __hash__(self) -> int:
        return self.digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HashedMap):
            return NotImplemented
        return self is other or (self.digest == other.digest and self._map == other._map)

    def __repr__(self) -> str:
        return f"HashedMap({dict(self._map)!r})"
