"""Weakenings of gateway senders and receivers: queues, take-overs, batches, events of other sites."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

QUEUES: dict[str, Weakening] = {
    "of what may be of the same time it is known who loses": Weakening(
        "model.checks",
        "        return bool(finding.pairs == pairs) and self._setting.onward is Propagation.STAYS\n",
        "        return bool(finding.pairs == pairs)\n",
    ),
    "what was refused may be heard of as answered": Weakening(
        "model.sites.cut_through",
        "if self._is_yet_to_come(world, view, queue, self._setting.carried(event)):",
        "if False:",
    ),
    "a copy is stored whoever looks at it": Weakening(
        "model.sites.senders", "clashes=claims.LOOKED_AT | hindered,", "clashes=hindered,"
    ),
    "a sender connects while time stands": Weakening(
        "model.sites.dispatch", "if len(reachable) == 1 and not world.wan.stands", "if len(reachable) == 1"
    ),
    "a secondary is told whoever looks at it": Weakening(
        "model.sites.senders",
        "claim=claims.CALLBACK,\n            clashes=claims.LOOKED_AT,",
        "claim=claims.CALLBACK,",
    ),
    "a secondary takes over whoever looks at it": Weakening(
        "model.sites.takeover", "                clashes=claims.LOOKED_AT,\n", ""
    ),
    "a survivor takes over before it may have heard of a discard": Weakening(
        "model.sites.takeover", "None if others or sender.spared else", "None if others else"
    ),
    "what has been recorded is needed whether it is still told of or not": Weakening(
        "model.sites.precedence",
        "            and any(True for _ in self._moments(view, name, self._setting.carried(event)))\n",
        "",
    ),
    "what was answered is heard of though it may be counted again": Weakening(
        "model.sites.cut_through",
        "if self._replicates.ways.may_count_again(world, view.now, queue, event.op_id):",
        "if False:",
    ),
    "a removal is heard of though what has left may be counted again": Weakening(
        "model.sites.senders",
        "(looked_at and not seen) or counts",
        "(looked_at and not seen)",
    ),
    "what is known is forgotten though it may be counted again": Weakening(
        "model.sites.dead_state",
        "            and not self._ways.may_count_again(world, now, name, op_id)\n",
        "",
    ),
    "copies hold nothing more that may be counted again": Weakening(
        "model.sites.dead_state",
        "self.may_count_again(world, now, name, copy)",
        "False",
    ),
    "a sender connects to any receiver": Weakening(
        "model.sites.dispatch",
        "claims.CONNECT if len(reachable) == 1 and not world.wan.stands else None",
        "claims.CONNECT",
    ),
    "time passes before or after what is sent": Weakening(
        "model.sites.dispatch", "clashes=hindered | claims.TIME_PASSES,", "clashes=hindered,"
    ),
    "a primary that dies has told of nothing": Weakening(
        "model.sites.removal_messages", "if not now and not dies:", "if not now:"
    ),
    "who stands at a gate cannot take over": Weakening(
        "model.sites.takeover",
        "len(messages) > 1 or messages[0].state is not MessageState.PARKED",
        "messages",
    ),
    "what is known to somebody is known to all": Weakening(
        "model.sites.wires",
        "return all((member, op_id) in seen or",
        "return any((member, op_id) in seen or",
    ),
    "what is known is forgotten though it is told of again": Weakening(
        "model.sites.dead_state", " and not self._lookahead.comes_again(op_id)", ""
    ),
    "what is known is forgotten while somebody looks": Weakening(
        "model.sites.dead_state",
        "and not self._is_looked_at(world, now, name)\n",
        "and not self._lookahead.copies_are_looked_at(now, name)\n",
    ),
    "nothing binds a queue before all is at rest": Weakening(
        "explain.fault_lookahead", "now <= moment < until and self._binds", "False and self._binds"
    ),
    "what waits before answers are lost may be behind anything": Weakening(
        "model.sites.dead_state",
        "takewhile(lambda event: self._has_passed(world, now, name, event.op_id), sender.queue)",
        "sender.queue",
    ),
    "a reading enters no queue, whatever crosses": Weakening(
        "model.claims",
        'OTHERS_DO_NOT_MATTER | {"get_crosses", "no_effect_crosses"} | ENTRIES_AS_FOUND,',
        "OTHERS_DO_NOT_MATTER | ENTRIES_AS_FOUND,",
    ),
    "answers that are lost hold nothing up": Weakening(
        "model.sites.dead_state", "return queue.batch_size if waits else None", "return 0"
    ),
    "what stands at the end of a batch is behind it": Weakening(
        "model.sites.dead_state", "return queue.batch_size if waits else None", "return queue.batch_size - 1"
    ),
    "answers are lost of no queue": Weakening(
        "model.sites.dependences",
        "queue.remote_site)\n        case FaultKind.PAUSE | FaultKind.RESUME",
        "0)\n        case FaultKind.PAUSE | FaultKind.RESUME",
    ),
    "positions are counted anew though copies are under way": Weakening(
        "model.sites.dead_state",
        "and not any(message.queue == name for sent in world.channels.values() for message in sent)",
        "",
    ),
    "counters are forgotten though they are read": Weakening(
        "model.sites.dead_state", "if not self._lookahead.is_counted(world, now, member):", "if True:"
    ),
    "who looks at a copy finds all removals told": Weakening(
        "model.sites.removal_messages", "if looked_at or now or not kept:", "if looked_at or not kept:"
    ),
    "nobody is started again": Weakening(
        "explain.member_lifetimes",
        "return NEVER if self.begin_anew else self.end_by(member, 0)",
        "return self.end_by(member, 0)",
    ),
}
