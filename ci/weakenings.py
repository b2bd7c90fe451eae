"""Weakenings: changes of the model that make a claim more often than it may be made, one by one.

Each is a piece of the model's text and what stands there instead. What shows that one matters is a witness
(`witnesses`). Knows the text of the model; nothing is changed here.
"""

from __future__ import annotations

from typing import NamedTuple

from plumbline.ci.bucket_weakenings import BUCKETS


class Weakening(NamedTuple):
    """A module below plumbline.reference, and what of its text is replaced by what."""

    module: str
    old: str
    new: str


# ruff: noqa: E501 - the text of the model as it stands there
WEAKENINGS: dict[str, Weakening] = {
    "a change is made though it may matter when": Weakening(
        "model.callers",
        "            and not in_doubt(self._setting, self._foresight, world, view.now, member, operation)\n",
        "",
    ),
    "a discard is claimed though it may matter when": Weakening(
        "model.replicates",
        "            and not self._foresight.count_to_come(view.now, member, operation)\n"
        "            and not in_doubt(self._setting, self._foresight, world, view.now, member, operation)\n",
        "            and not self._foresight.count_to_come(view.now, member, operation)\n",
    ),
    "nobody looks whether anything is old enough to be collected": Weakening(
        "model.collecting", " or Collecting(setting).is_old(world)", ""
    ),
    "time does not pass first": Weakening(
        "model.collecting", "foresight.time_to_pass(world, now, member, operation) or ", ""
    ),
    "a change is received though it may matter when": Weakening(
        "model.replicates",
        "            and not self._heard_first(world, view, member, operation)\n"
        "            and not in_doubt(self._setting, self._foresight, world, view.now, member, operation)\n",
        "            and not self._heard_first(world, view, member, operation)\n",
    ),
    "a region is not cleared first": Weakening(
        "model.collecting",
        "    if foresight.clear_to_come(world, now, member, operation):\n        return True\n",
        "",
    ),
    "a secondary hears what was received though it is not recognised when it comes again": Weakening(
        "model.claims",
        'frozenset({"is_repeated", "keeps_tracks", "copies_keep_identity", "queue_for", "times_sent"})',
        "frozenset()",
    ),
    "a secondary hears what was received though its client may forget it": Weakening(
        "model.failover", "claim = None if forgets else claims.ACKNOWLEDGED", "claim = claims.ACKNOWLEDGED"
    ),
    "a destroy of a region is passed on though it may stay at its client": Weakening(
        "model.claims",
        '        "forwards_region_destroy",\n        "forwards_local_region_destroy",\n',
        "",
    ),
    "a call is passed on though its client may change its own copy first": Weakening(
        "model.claims",
        '        "writer_runs_first",\n        "client_writer_aborts",\n        "client_applies_first",\n',
        "",
    ),
    "a client claims something though its interest changes, or it reads": Weakening(
        "explain.question",
        "setting.plain = index.plain",
        "setting.plain = index.plain or bool(setting.clients)",
    ),
    "a client claims something though it has several servers": Weakening(
        "explain.index", "return alone and history.registers", "return history.registers"
    ),
    "what a dying member has sent is discarded though its loss counts for nothing": Weakening(
        "explain.hindsight", "if self._index.dies(operation.member):", "if False:"
    ),
    "a call reads though it may have to wait for other writers": Weakening(
        "model.claims",
        'lets its caller go on.",\n    OTHERS_DO_NOT_MATTER,',
        'lets its caller go on.",',
    ),
    "a change is received though somebody may still read": Weakening(
        "model.replicates", "            and reader is Comes.NO\n", ""
    ),
    "a change is made though somebody may still read": Weakening(
        "model.callers", "            and reader is Comes.NO\n", ""
    ),
    "a change is received though a silent one may come": Weakening(
        "model.replicates",
        "            and not self._foresight.silent_change_to_come(world, view.now, member, operation, entry)\n",
        "",
    ),
    "a change is made though a silent one may come": Weakening(
        "model.callers",
        "            and not self._foresight.silent_change_to_come(world, view.now, member, operation, entry)\n",
        "",
    ),
    "a discard settles the unknown order of ids": Weakening(
        "model.replicates",
        "            and (self._setting.order is not None or finding.order is world.order)\n",
        "",
    ),
    "a discard does not ask who counts": Weakening(
        "model.replicates",
        "            and not self._foresight.count_to_come(view.now, member, operation)\n",
        "",
    ),
    "a log in order per thread decides": Weakening(
        "model.replicates", "            and self._strength is not OrderStrength.PER_KEY_AND_THREAD\n", ""
    ),
    "an event without a token decides": Weakening(
        "model.replicates", "            and shown[-1] is not None\n", ""
    ),
    "a log that nobody saw decides": Weakening(
        "model.replicates",
        "            view.observed(place)\n            and self._strength",
        "            self._strength",
    ),
    "a change is received whatever the log decides": Weakening(
        "model.replicates", "certain = times == 1 and decided", "certain = times == 1"
    ),
    "a silent change is received at once": Weakening(
        "model.replicates", "certain = times == 1 and decided", "certain = decided"
    ),
    "a change is made though the log is in order per thread": Weakening(
        "model.callers", "            and self._strength is not OrderStrength.PER_KEY_AND_THREAD\n", ""
    ),
    "a change is made though its event has no token": Weakening(
        "model.callers", "            and named\n", ""
    ),
    "a change is made though nobody saw the log": Weakening(
        "model.callers", "            if view.observed(place)\n            and named", "            if named"
    ),
    "a change waits for whoever may read": Weakening(
        "model.replicates", "reader is Comes.SURELY and", "reader is not Comes.NO and"
    ),
    "a call waits for whoever may read": Weakening(
        "model.callers", "reader is Comes.SURELY and", "reader is not Comes.NO and"
    ),
    "whoever finds nothing must come first": Weakening(
        "explain.hindsight",
        "once = entry.state is EntryState.LIVE and not comes_again",
        "once = not comes_again",
    ),
    "any call reads at once": Weakening(
        "model.callers",
        "claims.READ if self._foresight.only_reads(operation) and len(ways) == 1 else None",
        "claims.READ",
    ),
    "what no listener could have told only read": Weakening(
        "explain.hindsight",
        "        return operation.member in self._index.logged and named and self._index.may_only_read(operation)",
        "        return self._index.may_only_read(operation)",
    ),
    "nothing is done whatever the log decides": Weakening(
        "model.replicates",
        "            if self.decided_by_log(view, place, shown)\n            and not view.still",
        "            if not view.still",
    ),
    "nothing is done though the log shows it later": Weakening(
        "model.replicates",
        "            if self.decided_by_log(view, place, shown)\n            and not view.still(place, shown)\n",
        "            if self.decided_by_log(view, place, shown)\n",
    ),
    "a silent change is refused whatever the log decides": Weakening(
        "model.replicates",
        "if not times and view.reduced and decided and view.still(place, shown)",
        "if not times and view.reduced and view.still(place, shown)",
    ),
    "calls under way read nothing": Weakening(
        "explain.hindsight",
        "                call.stage is Stage.CALLED\n                and op_id",
        "                False\n                and op_id",
    ),
    "contents are read by nobody": Weakening(
        "explain.hindsight",
        "                if _seen(entry) == found.reading:\n",
        "                if False:\n",
    ),
    "what waits for no acknowledgement is not silent": Weakening(
        "explain.hindsight", "            and member not in call.waiting\n", ""
    ),
    "puts are never silent where checking is off": Weakening(
        "explain.index",
        "            if operation.kind not in _MAY_BE_SILENT and not (\n                operation.region in self._unchecked and operation.kind in STORES_VALUE\n            ):\n",
        "            if operation.kind not in _MAY_BE_SILENT:\n",
    ),
    "versions of calls are not shifted with the others": Weakening(
        "model.system",
        "                calls = calls.set(op_id, call._replace(stamp=_lowered(call.stamp, by)))\n",
        "                pass\n",
    ),
    "versions on their way are not shifted with the others": Weakening(
        "model.system", "            if lowered != messages:\n", "            if False:\n"
    ),
    "what comes again is no silent change": Weakening(
        "explain.hindsight", "        if where in self._index.again:\n            return True\n", ""
    ),
    "what comes again is read once only": Weakening(
        "explain.hindsight",
        "comes_again = where in self._index.again or entry.token",
        "comes_again = entry.token",
    ),
    "what comes again counts whenever it comes": Weakening(
        "explain.hindsight",
        "        if (member, operation.region, operation.key) in self._index.again:\n",
        "        if False:\n",
    ),
    "a message comes again before it was sent": Weakening(
        "model.timeline", "sent = op_id in world.stamps", "sent = True"
    ),
    "it has settled at any time": Weakening(
        "model.timeline",
        "                return self._rest.quiet(world, frozenset(held))",
        "                return True",
    ),
    "a call returns before it is acknowledged": Weakening(
        "model.timeline",
        "        elif call.stage is Stage.SENT and not call.waiting:",
        "        elif call.stage is Stage.SENT:",
    ),
    "what is parked is sent": Weakening(
        "model.callers",
        "is GateState.PARKED:\n            return\n",
        "is GateState.PARKED:\n            pass\n",
    ),
    "readings that are wrong are claimed": Weakening(
        "model.timeline",
        "[key for key in unread if seen[key] in self._may_read(world, member, region, key)]",
        "list(unread)",
    ),
    "statistics that are wrong are claimed": Weakening(
        "model.timeline", "if least <= world.discards.get(member, 0) <= most:", "if True:"
    ),
    "sending is believed whoever is sent to": Weakening(
        "model.claims", '    OTHERS_DO_NOT_MATTER | {"recipients"},', "    OTHERS_DO_NOT_MATTER,"
    ),
    "discarding is believed whatever was decided": Weakening(
        "model.claims",
        'in between.",\n    OTHERS_DO_NOT_MATTER | STAMPS_GROW,',
        'in between.",\n    OTHERS_DO_NOT_MATTER,',
    ),
    "showing is believed whatever was decided": Weakening(
        "model.claims",
        'come first.",\n    OTHERS_DO_NOT_MATTER | STAMPS_GROW,',
        'come first.",\n    OTHERS_DO_NOT_MATTER,',
    ),
    "every claim is believed": Weakening(
        "explain.engine", "        holds = self._known.get(claim)\n", "        return True\n"
    ),
    "sending is believed though others matter": Weakening(
        "model.claims", '    OTHERS_DO_NOT_MATTER | {"recipients"},', '    frozenset({"recipients"}),'
    ),
    "others never matter": Weakening(
        "model.claims", '{"waits_for_other_writers", "applies_while_another_is_under_way"}', "()"
    ),
    "a change settles the unknown order of ids": Weakening(
        "model.replicates",
        "            and (self._setting.order is not None or after.order is world.order)\n",
        "",
    ),
    "whoever only looks whether a key is there reads nothing": Weakening(
        "explain.hindsight", "                comes = Comes.PERHAPS\n", "                pass\n"
    ),
    "nothing silent happens to a tombstone": Weakening(
        "explain.hindsight",
        "        if entry.state is EntryState.LIVE:\n            return False\n        found = self._index.silent",
        "        if entry.state is not EntryState.ABSENT:\n            return False\n        found = self._index.silent",
    ),
    "calls to come are not silent": Weakening(
        "explain.hindsight",
        "        if self._index.called[other.op_id] >= now:\n            return True\n        if",
        "        if",
    ),
    "without acknowledgements nothing is silent": Weakening(
        "explain.hindsight",
        "            if self._index.scopes[other.region] is Scope.ACK:\n                return False\n",
        "            return False\n",
    ),
    "a tie is surely discarded": Weakening(
        "explain.hindsight",
        "entry.stamp.version > call.stamp.version",
        "entry.stamp.version >= call.stamp.version",
    ),
    "invalidating is never silent": Weakening(
        "explain.hindsight",
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
    "versions on their way are not counted": Weakening(
        "model.system",
        "channel.source), message.stamp",
        "channel.source), None",
    ),
    "versions of calls are not counted": Weakening(
        "model.system",
        "operation.member), call.stamp",
        "operation.member), None",
    ),
    "versions that may come again are shifted": Weakening(
        "model.system", "not known or state.stamps:", "not known:"
    ),
    "a listener is parked at any time": Weakening(
        "model.timeline",
        "                return world.gates.get(gate.place) is GateState.PARKED\n            case NotP",
        "                return True\n            case NotP",
    ),
    "waiting in vain at any time": Weakening(
        "model.timeline",
        "                return not parked and self._has_waited(world)",
        "                return not parked",
    ),
    "entries are lost that may come": Weakening(
        "explain.engine",
        "if step.loses and any(cursor.still(place, entry) for place, entry in step.loses)",
        "if step.loses",
    ),
    "a server is sent a change like anybody else": Weakening(
        "model.replicates",
        "            and not self._heard_first(world, view, member, operation)\n",
        "",
    ),
    "a server discards like anybody else": Weakening(
        "model.replicates", "return claims.DISCARD_UNHEARD if mute else None", "return claims.DISCARD"
    ),
    "a server finds nothing to do like anybody else": Weakening(
        "model.replicates", "claim=claim and self._unheard(world, view, member, operation)", "claim=claim"
    ),
    "a server calls like anybody else": Weakening(
        "model.callers", "            and not self._heard_first(world, view, operation)\n", ""
    ),
    "clients hear nothing in front of what is received": Weakening(
        "model.replicates",
        "            heard.whisper_to_come(world, view.now, member, operation)\n",
        "            False\n",
    ),
    "clients hear nothing in front of what is called": Weakening(
        "model.callers",
        "            heard.whisper_to_come(world, view.now, member, operation)\n",
        "            False\n",
    ),
    "nobody fetches what a server is about to receive": Weakening(
        "model.replicates", "            or heard.starts_anew(world, view, member)\n", ""
    ),
    "nobody fetches what a server is about to call": Weakening(
        "model.callers", "            or heard.starts_anew(world, view, member)\n", ""
    ),
    "clients hear nothing that was called before": Weakening(
        "explain.hearsay", "called >= now or self._may_come_to(world, server, other)", "called >= now"
    ),
    "an invalidation that shows nothing is unheard": Weakening(
        "explain.hearsay",
        "if not self.simple or operation.kind is OperationKind.INVALIDATE or not",
        "if not self.simple or not",
    ),
    "what may be sent once more is spared": Weakening(
        "explain.hearsay",
        "return not over and (not primary or (not sure and self.unheard(view, client, operation)))",
        "return (not over and not primary) or (not sure and self.unheard(view, client, operation))",
    ),
    "no other server takes over": Weakening(
        "explain.hearsay", "return not over and (not primary or", "return (not primary or"
    ),
    "what a server discards is never sent": Weakening(
        "explain.hearsay", "(not sure and self.unheard(view, client, operation))", "(not sure)"
    ),
    "whoever is dead has been replaced": Weakening(
        "explain.hearsay", "            or line.primary in world.wan.dead\n", ""
    ),
    "what a client holds comes once": Weakening(
        "explain.hindsight",
        "            comes_again = True  # fetched once more, or loaded as it registers\n",
        "            pass\n",
    ),
    "a client reads nothing at its server": Weakening(
        "explain.hindsight",
        "            if self._reads_as_client(reader, call.stage, where):\n                return Comes.PERHAPS\n",
        "",
    ),
    "a client passes over what may never have been sent, whoever reads": Weakening(
        "model.clients", "alone = alike and self._owes", "alone = self._owes"
    ),
    "a client that shows nothing is told with the value": Weakening(
        "explain.hearsay",
        "return None if with_it and without else not with_it",
        "return None if with_it and without else without",
    ),
    "whoever starts anew may do so at once": Weakening(
        "model.failover",
        "alone = secondaries and not anew and self._setting.clients_as_documented",
        "alone = True",
    ),
    "passing on is believed whatever was decided": Weakening(
        "model.claims",
        'as late as it likes.",\n    OTHERS_DO_NOT_MATTER | {"serves_client"} | FORWARDS,',
        'as late as it likes.",\n    OTHERS_DO_NOT_MATTER,',
    ),
    "what may never have been sent is surely missed": Weakening(
        "model.arrivals", "        step.claim = None\n", ""
    ),
    "a client has been told when its server has": Weakening(
        "explain.index",
        "            known = member == self.originators.get(operation.op_id)\n",
        "            known = True\n",
    ),
    "nothing silent comes to a client": Weakening(
        "explain.hindsight",
        "        if member in self._index.clients:\n            return call is not None or any(",
        "        if member in self._index.clients:\n            return False and any(",
    ),
    "a client's call may be taken to have read": Weakening(
        "explain.hindsight",
        "        if operation.op_id in self._index.originators:\n            return False",
        "        if False:\n            return False",
    ),
    "clients have settled at any time": Weakening(
        "model.rest", "(not self._setting.clients or self._clients.quiet(state, held))", "True"
    ),
    "a copy is stored whoever looks at it": Weakening(
        "model.senders", "clashes=claims.LOOKED_AT | hindered,", "clashes=hindered,"
    ),
    "an answer may overtake what is on its way": Weakening(
        "model.clients", " or self._overtakes(world, client, head, step):", ":"
    ),
    "a client registers before what is held back": Weakening(
        "model.timeline", "if len(ways) == 1 and not awaits else None", "if len(ways) == 1 else None"
    ),
    "a sender connects while time stands": Weakening(
        "model.dispatch", "if len(reachable) == 1 and not world.wan.stands", "if len(reachable) == 1"
    ),
    "what may be discarded has to be": Weakening(
        "model.receivers", "sure and known and not may_apply and", "sure and known and"
    ),
    "stamps grow whatever was decided": Weakening(
        "model.setting",
        "self.stamps_grow = STAMPS_GROW.isdisjoint(book.replaced())",
        "self.stamps_grow = True",
    ),
    "what is known already is passed over though it is told of later": Weakening(
        "model.receivers",
        "shows_yet = may_show or (again and view.still(place, shown))",
        "shows_yet = may_show",
    ),
    "a secondary is told whoever looks at it": Weakening(
        "model.senders",
        "claim=claims.CALLBACK,\n            clashes=claims.LOOKED_AT,",
        "claim=claims.CALLBACK,",
    ),
    "a secondary takes over whoever looks at it": Weakening(
        "model.takeover", "                clashes=claims.LOOKED_AT,\n", ""
    ),
    "a sender connects to any receiver": Weakening(
        "model.dispatch",
        "claims.CONNECT if len(reachable) == 1 and not world.wan.stands else None",
        "claims.CONNECT",
    ),
    "nothing waits for events": Weakening(
        "explain.hindsight",
        "        site = self._index.sites[world.wan.wires",
        "        return False\n        site = self._index.sites[world.wan.wires",
    ),
    "what is repeated is never told of": Weakening(
        "model.receivers", "claim=None if shows_yet else claims.REPEATED", "claim=claims.REPEATED"
    ),
    "an event comes over one connection": Weakening(
        "model.replicates", "            and alone(world, name, op_id)\n", ""
    ),
    "an event is not sent again": Weakening(
        "model.replicates",
        "            and again.isdisjoint(self._foresight.open(world, view))\n",
        "",
    ),
    "an event of another site is told of once": Weakening(
        "explain.hindsight", "        return op_id in self._index.repeated", "        return False"
    ),
    "an event that comes again is read once only": Weakening(
        "explain.hindsight",
        "comes_again = where in self._index.again or entry.token == operation.token",
        "comes_again = where in self._index.again",
    ),
    "faults under way are not open": Weakening(
        "explain.hindsight",
        "found = found.union(*map(hazards.of_fault, to_come), self._looks_behind(view.now, to_come))",
        "pass",
    ),
    "operations change no queues": Weakening(
        "model.callers", "                        clashes=clashes,\n", ""
    ),
    "a batch that may leave takes in nothing more": Weakening(
        "model.system",
        "return found | claims.TIME_PASSES if self.dispatch.may_take_in(state) else found",
        "return found",
    ),
    "time passes before or after what is sent": Weakening(
        "model.dispatch", "clashes=hindered | claims.TIME_PASSES,", "clashes=hindered,"
    ),
    "a look hinders nothing before it": Weakening(
        "explain.hindsight", '            found.add("look")\n', "            pass\n"
    ),
    "a primary that dies has told of nothing": Weakening(
        "model.dispatch", "if not now and not dies:", "if not now:"
    ),
    "an event enters whatever is done in front of it": Weakening(
        "model.claims",
        "    SHOW.relies_on | TAKEN_OVER_WHOLE | ENTERS_AT_ANY_TIME,",
        "    SHOW.relies_on | TAKEN_OVER_WHOLE,",
    ),
    "no member dies": Weakening(
        "explain.hindsight",
        "return fault.kind is not FaultKind.CRASH or view.complete(fault.member)",
        "return fault.kind is not FaultKind.CRASH and view.complete(fault.member)",
    ),
    "the order of keys in a queue does not matter": Weakening(
        "explain.hindsight",
        "            if index.told_between(member, other)[0] < until and (\n",
        "            if False and (\n",
    ),
    "only a primary's successors remember an order": Weakening(
        "explain.hindsight",
        "if not rivals or not (index.doomed or _is_primary(world, member)):",
        "if not rivals or not index.doomed:",
    ),
    "who stands at a gate cannot take over": Weakening(
        "model.takeover", "len(messages) > 1 or messages[0].state is not MessageState.PARKED", "messages"
    ),
    "one member's threads are told of in their order": Weakening(
        "explain.index",
        "self._written_by_several(lambda operation: operation.thread)",
        "self._written_by_several(lambda operation: operation.member)",
    ),
    "what is held back has happened before anything is called settled": Weakening(
        "explain.hindsight",
        "            self._may_be_held_back(now, member, operation)\n",
        "            False\n",
    ),
    "a look at a copy of a queue wants nothing in it": Weakening(
        "explain.hindsight",
        "            message.queue and self.copy_is_looked_at_now(world, channel.target, message.queue)\n",
        "            False\n",
    ),
    "who dies was told of all it did": Weakening(
        "explain.hindsight",
        "            and view.complete(member)\n        )",
        "            and not view.complete(member)\n        )",
    ),
    "nobody has to die for nothing to be told": Weakening(
        "explain.hindsight", "            and hazards.crash_of(member) in self.open(world, view)\n", ""
    ),
    "who dies has only read what it was not told of": Weakening(
        "explain.hindsight",
        "        if self._index.dies_between(\n",
        "        if False and self._index.dies_between(\n",
    ),
    "who answers behind its death has only read": Weakening(
        "explain.hindsight", "NEVER if unknown else back", "NEVER if unknown else 0"
    ),
    "what is read of who runs again was read of who died": Weakening(
        "explain.hindsight",
        "latest = min(self._index.latest(operation, member), self._index.dies_by(member, now))",
        "latest = self._index.latest(operation, member)",
    ),
    "who dies has told all that it tells when it runs again": Weakening(
        "explain.engine", "spans is None or spans[index][0] <= self.now", "True"
    ),
    "who is about to die serves for good": Weakening(
        "explain.hearsay", "            or any(fault.member in servers for fault in self._dying(world))\n", ""
    ),
    "a client leaves its copy alone": Weakening(
        "explain.hearsay",
        "        if not self.simple:\n            return True\n        own =",
        "        if self.simple:\n            return False\n        own =",
    ),
    "what a client has called is over": Weakening(
        "explain.hearsay", "other.op_id in world.calls or now <=", "now <="
    ),
    "a client that is told in one form may have fetched it": Weakening(
        "explain.hearsay",
        "if not view.reduced or self.fetches(client, operation) or not self._named(operation):",
        "if not view.reduced or not self._named(operation):",
    ),
    **{name: Weakening(*weakening) for name, weakening in BUCKETS.items()},
}
"""Every weakening, in words."""
