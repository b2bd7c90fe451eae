"""The border: an adapter all of whose answers are checked, for each kind of candidate behind it.

Knows that an answer is refused and how that is reported; `answers` and `refusals` hold which are.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.answers import flaw
from plumbline.adapters.asking import AskingAdapter, carry_out
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.protocol import METHODS
from plumbline.adapters.refusals import form, promised
from plumbline.adapters.scene import Scene

Record = TypeVar("Record", bound=msgspec.Struct)


class CheckedAdapter(AskingAdapter):
    """Passes each request on to an adapter, and each answer back if it can be believed.

    Raises AdapterError where an answer contradicts itself or what was asked, and where something is
    unsupported that was promised. So the harness may read answers into dicts and sets.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._scene = Scene()

    @property
    def stands_still(self) -> bool:  # type: ignore[override] # a class variable elsewhere
        """What the adapter says of itself."""
        return self._adapter.stands_still

    def _ask(self, method: str, params: msgspec.Struct, result: type[Record]) -> Record:
        scene = self._scene
        asked = form(method, params, scene)
        try:
            told = (
                self._adapter.call(method, params)
                if isinstance(self._adapter, AskingAdapter)
                else carry_out(self._adapter, METHODS[method], params)
            )
        except UnsupportedError as error:
            why = promised(method, params, scene)
            if not why:
                raise
            words = str(error).removeprefix(f"{method}: ")
            raise self._broken(method, f"answered as unsupported, though {why}: {words}") from error
        if not isinstance(told, result):
            raise self._broken(method, f"answered with {type(told).__name__}, no {result.__name__}")
        if wrong := flaw(scene, params, told):
            raise self._broken(method, wrong)
        scene.done.add(asked)
        scene.note(method, params, told)
        return told

    def close(self) -> None:
        """Close the adapter."""
        self._adapter.close()

    def last_words(self) -> str:
        """The adapter's."""
        return self._adapter.last_words()

    def _broken(self, method: str, why: str) -> AdapterError:
        return AdapterError(f"{method}: {why}", self._adapter.last_words())
