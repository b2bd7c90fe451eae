"""Weakenings of gateway senders and receivers: queues, take-overs, batches, events of other sites."""

from __future__ import annotations

from plumbline.ci.weakenings.weakening import Weakening

# ruff: noqa: E501 - the text of the model as it stands there
QUEUES: dict[str, Weakening] = {
    "a copy is stored whoever looks at it": Weakening(
        "model.senders", "clashes=claims.LOOKED_AT | hindered,", "clashes=hindered,"
    ),
    "a sender connects while time stands": Weakening(
        "model.dispatch", "if len(reachable) == 1 and not world.wan.stands", "if len(reachable) == 1"
    ),
    "what may be discarded has to be": Weakening(
        "model.receivers", "sure and known and not may_apply and", "sure and known and"
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
    "what is repeated is never told of": Weakening(
        "model.receivers", "claim=None if shows_yet else claims.REPEATED", "claim=claims.REPEATED"
    ),
    "time passes before or after what is sent": Weakening(
        "model.dispatch", "clashes=hindered | claims.TIME_PASSES,", "clashes=hindered,"
    ),
    "a primary that dies has told of nothing": Weakening(
        "model.dispatch", "if not now and not dies:", "if not now:"
    ),
    "who stands at a gate cannot take over": Weakening(
        "model.takeover", "len(messages) > 1 or messages[0].state is not MessageState.PARKED", "messages"
    ),
    "what is known to somebody is known to all": Weakening(
        "model.forgetting",
        "return remote is not None and all(\n            member in dead or",
        "return remote is not None and any(\n            member in dead or",
    ),
    "what is known is forgotten though it is told of again": Weakening(
        "model.forgetting", "            and not self._foresight.comes_again(op_id)\n", ""
    ),
    "what is known is forgotten while somebody looks": Weakening(
        "model.forgetting",
        "            and not self._is_looked_at(world, now, name)\n            and not",
        "            and not self._foresight.copies_are_looked_at(now, name)\n            and not",
    ),
    "positions are counted anew though copies are under way": Weakening(
        "model.forgetting",
        "and not any(message.queue == name for sent in world.channels.values() for message in sent)",
        "",
    ),
    "counters are forgotten though they are read": Weakening(
        "model.forgetting", "if not self._foresight.is_counted(world, now, member):", "if True:"
    ),
    "a call that nobody knows the end of had arrived before its member died": Weakening(
        "explain.index",
        "if outcome is None or outcome.status in (Status.INDEFINITE, Status.FAILED):\n            return NEVER",
        "if outcome is None:\n            return NEVER",
    ),
    "what a member sent that died is counted in any case": Weakening(
        "explain.hindsight",
        "return index < len(moments)  # what it has sent may be lost, and then counts for nothing",
        "pass",
    ),
    "no destroy enters a queue in silence": Weakening(
        "explain.index",
        "if outcome is not None and outcome.status in (Status.ABSENT, Status.REFUSED):\n                continue",
        "if outcome is not None:\n                continue",
    ),
    "by which way an event came tells nothing though several sites write": Weakening(
        "model.replicates", "            and not setting.is_timed(operation.region, operation.key)\n", ""
    ),
    "by which way an event came tells nothing though somebody stands at a gate": Weakening(
        "model.replicates",
        "world.gates.get((member, op_id), GateState.OPEN) is not GateState.OPEN\n                or not",
        "not",
    ),
    "by which way an event came tells nothing though it is counted": Weakening(
        "model.replicates", "or not self.has_counted(world, view, member)", ""
    ),
    "an event passes though another is shown first": Weakening(
        "model.passage", "            and view.fits(place, shown)\n", ""
    ),
    "an event passes though somebody reads first": Weakening(
        "model.passage",
        "is Comes.NO\n            and",
        "is not None\n            and",
    ),
    "an event passes though something silent comes first": Weakening(
        "model.passage",
        "            and not self._foresight.silent_change_to_come(world, view.now, member, operation, entry)\n",
        "",
    ),
    "an event passes though others are on its connection": Weakening(
        "model.passage",
        "            or sender.sent\n            or sender.heard\n            or wire != Wire(wire.receiver)\n",
        "",
    ),
    "an event passes though it is told of again": Weakening(
        "model.passage",
        "            or self._foresight.comes_again(event.op_id)\n            or not self._replicates.comes_any_way",
        "            or not self._replicates.comes_any_way",
    ),
    "an event passes though somebody looks at its queue": Weakening(
        "model.dispatch",
        "hindered = claims.LOOKED_AT | {hazards.look_behind_fault(queue.id)}",
        "hindered = frozenset()",
    ),
    "what comes again is only in its queue though its member dies": Weakening(
        "model.passage", "            or self._foresight.dies(name.source)\n", ""
    ),
    "what comes again is only in its queue though it is elsewhere": Weakening(
        "model.passage",
        "            or not alone(world, name, event.op_id)\n        ):\n            return False\n        held",
        "        ):\n            return False\n        held",
    ),
    "what comes again is only in its queue though it is on its connection": Weakening(
        "model.passage", "return not on_its_way and any(", "return any("
    ),
    "what comes again is missed by those who have it not": Weakening(
        "model.passage",
        "            (member, event.op_id) in world.wan.seen\n            and self._replicates.decided_by_log",
        "            self._replicates.decided_by_log",
    ),
    "what was told of twice comes no more": Weakening(
        "model.passage",
        "return self._foresight.comes_again(event.op_id) and any(",
        "return False and any(",
    ),
}
