"""Weakenings of the members of one site: calls, updates that arrive, the harness, and what claims rely on."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

# ruff: noqa: E501 - the text of the model as it stands there
MEMBERS: dict[str, Weakening] = {
    "what a thread has gone on from is sent whenever it comes": Weakening(
        "reduction.local_changes", "return None if waits else claims.SEND", "return claims.SEND"
    ),
    "nobody looks whether anything is old enough to be collected": Weakening(
        "model.collecting", " or Collecting(setting).is_old(world)", ""
    ),
    "time does not pass first": Weakening(
        "model.collecting", "lookahead.time_to_pass(world, now, member, operation) or ", ""
    ),
    "a region is not cleared first": Weakening(
        "model.collecting",
        "    if lookahead.clear_to_come(world, now, member, operation):\n        return True\n",
        "",
    ),
    "a secondary hears what was received though it is not recognised when it comes again": Weakening(
        "model.claims",
        'KNOWN_AGAIN | {"copies_keep_identity", "queue_for", "times_sent"}',
        "frozenset()",
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
    "a call reads though it may have to wait for other writers": Weakening(
        "model.claims",
        'its caller goes on.",\n    OTHERS_DO_NOT_MATTER | {"get_crosses", "no_effect_crosses"} | ENTRIES_AS_FOUND,',
        'its caller goes on.",\n    frozenset({"get_crosses", "no_effect_crosses"}) | ENTRIES_AS_FOUND,',
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
    "a change waits for whoever may read": Weakening(
        "reduction.received_changes", "reader is Ternary.YES and", "reader is not Ternary.NO and"
    ),
    "a call waits for whoever may read": Weakening(
        "reduction.local_changes", "reader is Ternary.YES and", "reader is not Ternary.NO and"
    ),
    "any call reads at once": Weakening(
        "reduction.local_changes",
        "return claims.READ if self._lookahead.only_reads(operation) else None",
        "return claims.READ",
    ),
    "versions of calls are not shifted with the others": Weakening(
        "model.version_normalization",
        "                calls = calls.set(op_id, replace(call, stamp=_lowered(call.stamp, by)))\n",
        "                pass\n",
    ),
    "versions on their way are not shifted with the others": Weakening(
        "model.version_normalization", "            if lowered != messages:\n", "            if False:\n"
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
        "        elif call.stage is CallStage.SENT and not call.waiting:",
        "        elif call.stage is CallStage.SENT:",
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
        "model.claims",
        '    OTHERS_DO_NOT_MATTER | {"recipients", "told_by_less_than_replicate", "distributes_of_clients"},',
        "    OTHERS_DO_NOT_MATTER,",
    ),
    "discarding is believed whatever was decided": Weakening(
        "model.claims",
        'in between.",\n    OTHERS_DO_NOT_MATTER | STAMPS_GROW,',
        'in between.",\n    OTHERS_DO_NOT_MATTER,',
    ),
    "showing is believed whatever was decided": Weakening(
        "model.claims",
        'come first.",\n    OTHERS_DO_NOT_MATTER | STAMPS_GROW | ENTRIES_AS_FOUND,',
        'come first.",\n    OTHERS_DO_NOT_MATTER | ENTRIES_AS_FOUND,',
    ),
    "sending is believed though others matter": Weakening(
        "model.claims",
        '    OTHERS_DO_NOT_MATTER | {"recipients", "told_by_less_than_replicate", "distributes_of_clients"},',
        '    frozenset({"recipients"}),',
    ),
    "others never matter": Weakening(
        "model.claims", '{"waits_for_other_writers", "applies_while_another_is_under_way"}', "()"
    ),
    "versions on their way are not counted": Weakening(
        "model.version_normalization",
        "channel.source), message.stamp",
        "channel.source), None",
    ),
    "versions of calls are not counted": Weakening(
        "model.version_normalization",
        "[op_id].member), call.stamp",
        "[op_id].member), None",
    ),
    "versions that may come again are shifted": Weakening(
        "model.version_normalization", "not known or world.stamps:", "not known:"
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
    "a server discards like anybody else": Weakening(
        "reduction.received_changes",
        "                    return None\n        return claims.DISCARD_UNHEARD",
        "                    return claims.DISCARD\n        return claims.DISCARD_UNHEARD",
    ),
    "a server finds nothing to do like anybody else": Weakening(
        "reduction.received_changes",
        "return self._unheard(lost, discarded=False) if self._passed.hold(lost) else None",
        "return claims.DISCARD if self._passed.hold(lost) else None",
    ),
    "passing on is believed whatever was decided": Weakening(
        "model.claims",
        'as late as it likes.",\n    OTHERS_DO_NOT_MATTER | {"serves_client"} | FORWARDS,',
        'as late as it likes.",\n    OTHERS_DO_NOT_MATTER,',
    ),
    "clients have settled at any time": Weakening(
        "model.quiescence", "(not self._setting.clients or self._clients.quiet(state, held))", "True"
    ),
    "a client registers before what is held back": Weakening(
        "model.timeline", "if len(ways) == 1 and not awaits else None", "if len(ways) == 1 else None"
    ),
    "stamps grow whatever was decided": Weakening(
        "model.setting",
        "self.stamps_grow = STAMPS_GROW.isdisjoint(book.replaced())",
        "self.stamps_grow = True",
    ),
    "an event comes over one connection": Weakening(
        "model.sites.delivery_paths",
        "return not self._lookahead.comes_again(op_id) and alone(world, name, op_id)",
        "return not self._lookahead.comes_again(op_id)",
    ),
    "an event is not sent again": Weakening(
        "model.sites.delivery_paths",
        "self._comes_this_way(world, name, op_id) and again.isdisjoint(\n            self._lookahead.open(world, view)\n        )",
        "self._comes_this_way(world, name, op_id)",
    ),
    "operations change no queues": Weakening(
        "model.callers", "                        clashes=clashes,\n", ""
    ),
    "a batch that may leave takes in nothing more": Weakening(
        "model.system",
        "return found | claims.TIME_PASSES if self.dispatch.may_take_in(state) else found",
        "return found",
    ),
    "an event enters whatever is done in front of it": Weakening(
        "model.claims",
        "    SHOW.relies_on | TAKEN_OVER_WHOLE | ENTERS_AT_ANY_TIME,",
        "    SHOW.relies_on | TAKEN_OVER_WHOLE,",
    ),
}
