"""The record of one requirement, and the closed lists its fields choose from.

Knows nothing of files, of the code that decides or tests a requirement, nor of any candidate.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from plumbline.reference.catalogue.capabilities import Capability

DOCUMENTS: dict[str, str] = {
    "000": "How Multi-site Event Distribution Works (vFabric GemFire 6)",
    "001": "Client-to-Server Event Distribution (vFabric GemFire 6)",
    "002": "Asynchronous Event Distribution, how it works inside (Apache Geode)",
    "003": "Durable Client/Server Event Messaging (Pivotal GemFire 8.2)",
    "004": "Consistency Checking by Region Type (Pivotal GemFire 8.1)",
    "geode": "Public behaviour of Apache Geode",
}
"""The five documents, and what extensions are drawn from."""


class Level(StrEnum):
    """How binding a requirement is; its statement uses this one word and neither of the other two.

    An extension is none of the documents': it binds who claims its capability. Its statement says MUST.
    """

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"
    EXTENSION = "EXTENSION"


class Dialect(StrEnum):
    """Whose reading of the documents a candidate follows."""

    GEMFIRE6 = "gemfire6"
    GEMFIRE8 = "gemfire8"
    GEODE = "geode"


DIALECT_OF_DOCUMENT: dict[str, Dialect] = {
    "000": Dialect.GEMFIRE6,
    "001": Dialect.GEMFIRE6,
    "002": Dialect.GEODE,
    "003": Dialect.GEMFIRE8,
    "004": Dialect.GEMFIRE8,
    "geode": Dialect.GEODE,
}


class Area(StrEnum):
    """The parts of the catalogue; every family of ids (the part before the first dash) lies in one."""

    CONSISTENCY = "consistency"
    VERSIONS = "versions"
    TOMBSTONES = "tombstones"
    CLEAR = "clear"
    TRANSACTIONS = "transactions"
    WAN_CONFLICTS = "wan-conflicts"
    WAN_DISTRIBUTION = "wan-distribution"
    GATEWAY_QUEUE = "gateway-queue"
    SERIAL_SENDER = "serial-sender"
    PARALLEL_SENDER = "parallel-sender"
    QUEUE_REMOVAL = "queue-removal"
    ASYNC_QUEUE = "async-queue"
    CLIENT_TO_SERVER = "client-to-server"
    SERVER_TO_CLIENT = "server-to-client"
    TRACKING = "tracking"
    INTEREST = "interest"
    FAILOVER = "failover"
    DURABLE = "durable"
    CONFIGURATION = "configuration"
    STATISTICS = "statistics"
    EXTENSIONS = "extensions"


AREA_MEANING: dict[Area, str] = {
    Area.CONSISTENCY: "copies of a region agree: partitioned, replicated, non-replicated, in clients",
    Area.VERSIONS: "version stamps, which of two updates wins, what is shown of the loser",
    Area.TOMBSTONES: "what is kept of destroyed entries, for how long, and how it is collected",
    Area.CLEAR: "clearing a whole region while others write to it",
    Area.TRANSACTIONS: "versions given at commit, delegation, refused local operations",
    Area.WAN_CONFLICTS: "updates of one entry from several sites: timestamps, site ids, conflict resolvers",
    Area.WAN_DISTRIBUTION: "which events cross to another site, in which order, and what the receiver does",
    Area.GATEWAY_QUEUE: "the queue of a gateway sender: batches, acknowledgement, retry, overflow, disk",
    Area.SERIAL_SENDER: "one primary among serial senders, and the secondaries' unprocessed events",
    Area.PARALLEL_SENDER: "parallel senders: one active queue per primary bucket",
    Area.QUEUE_REMOVAL: "how dispatched events leave the queue and its copies",
    Area.ASYNC_QUEUE: "asynchronous event queues, their listeners, and what they share with senders",
    Area.CLIENT_TO_SERVER: "what a client's operations do on the servers and at other clients",
    Area.SERVER_TO_CLIENT: "what operations on the servers do in subscribed clients",
    Area.TRACKING: "event identities, and how a client recognises events sent twice",
    Area.INTEREST: "registering interest: local clean-up, lists, bulk loads, their races with operations",
    Area.FAILOVER: "another server takes over a client's queue",
    Area.DURABLE: "queues kept for absent clients: disconnection, time-out, replay, marker",
    Area.CONFIGURATION: "the consistency-check attribute: defaults, refusals, opting out",
    Area.STATISTICS: "the counters and gauges that the documents name, and cost figures",
    Area.EXTENSIONS: "public behaviour of Apache Geode beyond the documents; counted apart",
}

AREA_OF_FAMILY: dict[str, Area] = {
    "CONS": Area.CONSISTENCY,
    "VER": Area.VERSIONS,
    "DISC": Area.VERSIONS,
    "EX": Area.VERSIONS,
    "TOMB": Area.TOMBSTONES,
    "CLEAR": Area.CLEAR,
    "TX": Area.TRANSACTIONS,
    "WANC": Area.WAN_CONFLICTS,
    "WAN": Area.WAN_DISTRIBUTION,
    "RCV": Area.WAN_DISTRIBUTION,
    "GWQ": Area.GATEWAY_QUEUE,
    "SHQ": Area.GATEWAY_QUEUE,
    "SER": Area.SERIAL_SENDER,
    "PAR": Area.PARALLEL_SENDER,
    "REM": Area.QUEUE_REMOVAL,
    "AEQ": Area.ASYNC_QUEUE,
    "ARCH": Area.ASYNC_QUEUE,
    "C2S": Area.CLIENT_TO_SERVER,
    "S2C": Area.SERVER_TO_CLIENT,
    "TRK": Area.TRACKING,
    "INT": Area.INTEREST,
    "RIR": Area.INTEREST,
    "FO": Area.FAILOVER,
    "DUR": Area.DURABLE,
    "CFG": Area.CONFIGURATION,
    "STAT": Area.STATISTICS,
    "OVH": Area.STATISTICS,
    "EXT": Area.EXTENSIONS,
}


def is_extension(identity: str) -> bool:
    """Whether an id is that of an extension, which is reported apart from what the documents demand."""
    return AREA_OF_FAMILY.get(identity.partition("-")[0]) is Area.EXTENSIONS


class JudgedBy(StrEnum):
    """How a candidate is judged.

    scenario: a short fixed sequence with its outcome written out. machine: generated sequences, explained
    by the model. rule: a query over a recorded trace. inspection: reading a setting or a refusal back.
    """

    SCENARIO = "scenario"
    MACHINE = "machine"
    RULE = "rule"
    INSPECTION = "inspection"


class ReasonKind(StrEnum):
    """The only four grounds on which a requirement may lack a decision, a test or a faulty variant.

    informative: it demands nothing. internal_view: it shows only inside a member. configuration_interface:
    it is about how something is configured. product_specific: it is about one product's own parts.
    """

    INFORMATIVE = "informative"
    INTERNAL_VIEW = "internal_view"
    CONFIGURATION_INTERFACE = "configuration_interface"
    PRODUCT_SPECIFIC = "product_specific"


Text = Annotated[str, msgspec.Meta(min_length=1)]


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Why a requirement cannot be decided, tested or broken; `text` is one sentence."""

    kind: ReasonKind
    text: Text


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One demand of a statement that makes several, which a system may break and keep all others.

    Attributes:
        id: what it is called within its requirement, such as `size`.
        says: what it demands, in the project's words.
        variants: the faulty variants of the reference that break this clause; none where it is owed or has a
            reason.
        shown_by: scenarios whose written outcome tells right from wrong where the search explains both.
        needs: what a candidate must offer for it beyond the capabilities of its requirement.
        reason: why no faulty variant can break it.
    """

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
    says: Text
    variants: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    needs: tuple[Capability, ...] = ()
    reason: Reason | None = None


class TraceRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a trace must show.

    Attributes:
        text: the rule in words: what would be a violation, and where one could have been seen.
        kinds: the kinds of trace rows it reads.
        columns: the trace columns it reads.
    """

    text: Text
    kinds: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    columns: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class Requirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One requirement.

    Attributes:
        id: the only name it has, such as `VER-TIE-01`: family, topic, number.
        title: a few words, for lists.
        statement: what is required, in the project's words.
        level: MUST, SHOULD or MAY.
        area: the part of the catalogue, which follows from the family of the id.
        document: number of the document that it is drawn from, a key of DOCUMENTS.
        paragraph: where there: a heading and, after "L", lines of the document's plain text; further
            documents that say the same are named behind it.
        derived: whether it is a consequence that we draw rather than something the document says outright.
        dialects: the dialects in which a candidate owes it.
        capabilities: what a candidate must offer to be judged on it; without one of them: unsupported.
        clauses: the single demands of the statement; left out where it makes one.
        judged_by: how it is judged.
        controls: what the harness has to bring about.
        observables: what it has to look at, and what it should see.
        break_it: how a faulty system would break it.
        trace_rule: what a trace must show, or None where a trace cannot tell.
        product_note: how Apache Geode reads it and how it is shown there.
        reason: why it lacks a decision, a test or a faulty variant; None for nearly all.
    """

    id: Annotated[str, msgspec.Meta(pattern=r"^[A-Z0-9]+-[A-Z0-9]+(-[0-9]{2})?$")]
    title: Text
    statement: Text
    level: Level
    area: Area
    document: Literal["000", "001", "002", "003", "004", "geode"]
    paragraph: Text
    derived: bool = False
    dialects: Annotated[tuple[Dialect, ...], msgspec.Meta(min_length=1)]
    capabilities: Annotated[tuple[Capability, ...], msgspec.Meta(min_length=1)]
    clauses: tuple[Clause, ...] = ()
    judged_by: Annotated[tuple[JudgedBy, ...], msgspec.Meta(min_length=1)]
    controls: Text
    observables: Text
    break_it: Text
    trace_rule: TraceRule | None = None
    product_note: Text
    reason: Reason | None = None

    @property
    def family(self) -> str:
        """The first part of the id."""
        return self.id.partition("-")[0]

    @property
    def source(self) -> str:
        """Document and paragraph in one line; derived requirements say so."""
        return f"{self.document} {self.paragraph}{' (derived)' if self.derived else ''}"
