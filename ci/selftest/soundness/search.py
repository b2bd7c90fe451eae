"""Weakenings of the search and of what it looks up in a history.

The engine, the question, the index, and what is still to come.
"""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

# ruff: noqa: E501 - the text of the model as it stands there
SEARCH: dict[str, Weakening] = {
    "a client claims something though its interest changes, or it reads": Weakening(
        "explain.question",
        "setting.plain = index.plain",
        "setting.plain = index.plain or bool(setting.clients)",
    ),
    "a client claims something though it has several servers": Weakening(
        "explain.index", "return alone and history.registers", "return history.registers"
    ),
    "what has come in silence does not come again": Weakening(
        "explain.listener_index",
        " | may_have_come_in_silence(history, sites)",
        "",
    ),
    "whoever finds nothing must come first": Weakening(
        "explain.recorded_lookahead",
        "once = entry.state is EntryState.LIVE and not comes_again",
        "once = not comes_again",
    ),
    "what no listener could have told only read": Weakening(
        "explain.recorded_lookahead",
        "        return operation.member in self._index.logged and named and self._index.may_only_read(operation)",
        "        return self._index.may_only_read(operation)",
    ),
    "calls under way read nothing": Weakening(
        "explain.recorded_lookahead",
        "                call.stage is CallStage.CALLED\n                and op_id",
        "                False\n                and op_id",
    ),
    "contents are read by nobody": Weakening(
        "explain.recorded_lookahead",
        "                if _seen(entry) == found.reading:\n",
        "                if False:\n",
    ),
    "what waits for no acknowledgement is not silent": Weakening(
        "explain.recorded_lookahead", "            and member not in call.waiting\n", ""
    ),
    "puts are never silent where checking is off": Weakening(
        "explain.index",
        "            if operation.kind not in _MAY_BE_SILENT and not (\n                operation.region in self._unchecked and operation.kind in STORES_VALUE\n            ):\n",
        "            if operation.kind not in _MAY_BE_SILENT:\n",
    ),
    "what comes again is no silent change": Weakening(
        "explain.recorded_lookahead", "        if where in self._index.again:\n            return True\n", ""
    ),
    "what comes again is read once only": Weakening(
        "explain.recorded_lookahead",
        "            where in self._index.again\n            or entry.token ==",
        "            entry.token ==",
    ),
    "what another site sends once more is read once only": Weakening(
        "explain.recorded_lookahead",
        "            or (operation.region, operation.key, entry.token) in self._index.told_again\n",
        "",
    ),
    "what comes again counts whenever it comes": Weakening(
        "explain.recorded_lookahead",
        "        if (member, operation.region, operation.key) in self._index.again:\n",
        "        if False:\n",
    ),
    "every claim is believed": Weakening(
        "search.search", "        holds = self._known.get(claim)\n", "        return True\n"
    ),
    "whoever only looks whether a key is there reads nothing": Weakening(
        "explain.recorded_lookahead", "                comes = Ternary.MAYBE\n", "                pass\n"
    ),
    "nothing silent happens to a tombstone": Weakening(
        "explain.recorded_lookahead",
        "        if entry.state is EntryState.LIVE:\n            return False\n        found = self._index.silent",
        "        if entry.state is not EntryState.ABSENT:\n            return False\n        found = self._index.silent",
    ),
    "calls to come are not silent": Weakening(
        "explain.recorded_lookahead",
        "        if self._index.called[other.op_id] >= now:\n            return True\n        if",
        "        if",
    ),
    "without acknowledgements nothing is silent": Weakening(
        "explain.recorded_lookahead",
        "            if self._index.scopes[other.region] is Scope.ACK:\n                return False\n",
        "            return False\n",
    ),
    "a tie is surely discarded": Weakening(
        "explain.recorded_lookahead",
        "entry.stamp.version > call.stamp.version",
        "entry.stamp.version >= call.stamp.version",
    ),
    "invalidating is never silent": Weakening(
        "explain.recorded_lookahead",
        "                other.kind is not OperationKind.INVALIDATE and entry.state is EntryState.INVALID\n",
        "                entry.state is EntryState.INVALID\n",
    ),
    "parked listeners do not hold things back": Weakening(
        "explain.index", "if not held and not self._shut:", "if not held:"
    ),
    "held listeners do not hold things back": Weakening(
        "explain.index", "if not held and not self._shut:", "if not self._shut:"
    ),
    "an operation without an answer has arrived": Weakening(
        "explain.index",
        "        if outcome is not None and outcome.status is Status.INDEFINITE:\n            return NEVER\n        near",
        "        near",
    ),
    "what has returned has arrived": Weakening(
        "explain.index",
        "known = member == operation.member or self.scopes[operation.region] is Scope.ACK",
        "known = True",
    ),
    "entries are lost that may come": Weakening(
        "search.search",
        "if step.loses and any(cursor.still(place, entry) for place, entry in step.loses)",
        "if step.loses",
    ),
    "a reading is taken to be the same afterwards": Weakening(
        "explain.recorded_lookahead",
        "return not (self._fails_in_silence and stays and self._reads(reader, outcome, after))",
        "return not (self._fails_in_silence and stays)",
    ),
    "what fails there fails though it was taken away": Weakening(
        "explain.recorded_lookahead",
        "stays = entry.state is EntryState.LIVE and operation.kind in STORES_VALUE",
        "stays = entry.state is EntryState.LIVE",
    ),
    "what finds nothing finds nothing afterwards": Weakening(
        "explain.recorded_lookahead",
        "stays = entry.state is EntryState.LIVE and operation.kind in STORES_VALUE",
        "stays = operation.kind in STORES_VALUE",
    ),
    "what a client holds comes once": Weakening(
        "explain.recorded_lookahead",
        "            comes_again = True  # fetched once more, or loaded as it registers\n",
        "            pass\n",
    ),
    "a client reads nothing at its server": Weakening(
        "explain.recorded_lookahead",
        "            if self._reads_as_client(reader, where):\n                return Ternary.MAYBE\n",
        "",
    ),
    "a client has been told when its server has": Weakening(
        "explain.index",
        "            known = member == self.originators.get(operation.op_id)\n",
        "            known = True\n",
    ),
    "nothing silent comes to a client": Weakening(
        "explain.recorded_lookahead",
        "        if member in self._index.clients:\n            return call is not None or any(",
        "        if member in self._index.clients:\n            return False and any(",
    ),
    "a client's call may be taken to have read": Weakening(
        "explain.recorded_lookahead",
        "        if operation.op_id in self._index.originators:\n            return False",
        "        if False:\n            return False",
    ),
    "nothing waits for events": Weakening(
        "explain.next_observation",
        "        site = self._index.sites[world.wan.wires",
        "        return False\n        site = self._index.sites[world.wan.wires",
    ),
    "an event of another site is told of once": Weakening(
        "explain.recorded_lookahead", "        return op_id in self._index.repeated", "        return False"
    ),
    "an event that comes again is read once only": Weakening(
        "explain.recorded_lookahead",
        "            where in self._index.again\n            or entry.token == operation.token\n",
        "            where in self._index.again\n",
    ),
    "faults under way are not open": Weakening(
        "explain.fault_lookahead",
        """found = found.union(
                *map(self._of_fault, to_come), self._looks_behind(self._looks(view.now), to_come)
            )""",
        "pass",
    ),
    "a look hinders nothing before it": Weakening(
        "explain.fault_lookahead", '            found.add("look")\n', "            pass\n"
    ),
    "no member dies": Weakening(
        "explain.fault_lookahead",
        "return fault.kind is not FaultKind.CRASH or view.complete(fault.member)",
        "return fault.kind is not FaultKind.CRASH and view.complete(fault.member)",
    ),
    "the order of keys in a queue does not matter": Weakening(
        "explain.recorded_lookahead",
        "            if index.told_between(member, other)[0] < until and (\n",
        "            if False and (\n",
    ),
    "only a primary's successors remember an order": Weakening(
        "explain.recorded_lookahead",
        "if not rivals or not (index.lives.doomed or _is_primary(world, member)):",
        "if not rivals or not index.lives.doomed:",
    ),
    "one member's threads are told of in their order": Weakening(
        "explain.index",
        "self._written_by_several(lambda operation: operation.thread)",
        "self._written_by_several(lambda operation: operation.member)",
    ),
    "what is held back has happened before anything is called settled": Weakening(
        "explain.recorded_lookahead",
        "            self._may_be_held_back(now, member, operation)\n",
        "            False\n",
    ),
    "a look at a copy of a queue wants nothing in it": Weakening(
        "explain.next_observation",
        "            message.queue\n            and self._fault_lookahead.copy_is_looked_at_now(world, channel.target, message.queue)\n",
        "            False\n",
    ),
    "who dies was told of all it did": Weakening(
        "explain.fault_lookahead",
        "            and (not in_turn or view.complete(member))\n",
        "            and (not in_turn or not view.complete(member))\n",
    ),
    "nobody has to die for nothing to be told": Weakening(
        "explain.fault_lookahead",
        "            and dependences.crash_of(member) in self.open(world, view)\n",
        "",
    ),
    "who dies has only read what it was not told of": Weakening(
        "explain.recorded_lookahead",
        "        if self._index.lives.end_between(\n",
        "        if False and self._index.lives.end_between(\n",
    ),
    "who answers behind its death has only read": Weakening(
        "explain.recorded_lookahead", "NEVER if unknown else back", "NEVER if unknown else 0"
    ),
    "what is read of who runs again was read of who died": Weakening(
        "explain.recorded_lookahead",
        "latest = min(self._index.shown_by(operation, member), self._index.lives.end_by(member, now))",
        "latest = self._index.latest(operation, member)",
    ),
    "who dies has told all that it tells when it runs again": Weakening(
        "search.search", "spans is None or spans[index][0] <= self.now", "True"
    ),
    "more is counted than is told of the first time": Weakening(
        "explain.counters",
        "        least = min(most, later[0][1]) if later else most\n",
        "        least = max(0, most - 1)\n",
    ),
    "a pause holds nothing back": Weakening(
        "model.sites.dispatch",
        "        hindered = frozenset((paused, dependences.replies_lost(*link_of(queue))))",
        "        hindered = frozenset((dependences.replies_lost(*link_of(queue)),))",
    ),
    "lost answers hold nothing back": Weakening(
        "model.sites.dispatch",
        "        hindered = frozenset((paused, dependences.replies_lost(*link_of(queue))))",
        "        hindered = frozenset((paused,))",
    ),
    "a copy loses what may enter it again": Weakening(
        "model.sites.needed_removals",
        "if all(self._may_enter_again(world, primary, holder, name, event.op_id) for event in called):",
        "if False:",
    ),
    "a copy loses what its listener receives": Weakening(
        "model.sites.needed_removals",
        "return called[0].position - 1",
        "return called[0].position",
    ),
    "a copy keeps the first of what it holds twice": Weakening(
        "model.sites.needed_removals",
        "if turns[-len(kept) :] != kept:",
        "if False:",
    ),
    "a batch takes in nothing once some of it is sent": Weakening(
        "model.sites.dispatch",
        "            and len(wire.events) == sender.sent\n            and not self._setting.filtering",
        "            and False",
    ),
    "nobody looks while a queue is held up": Weakening(
        "explain.fault_lookahead",
        "if any(begun < moment <= end and self._tells_of(moment, fault) for moment in self._index.stills):",
        "if False:",
    ),
    "whoever lives has waited for the dead": Weakening(
        "explain.fault_lookahead",
        "                and in_time\n",
        "",
    ),
}
