"""Decisions about operations that depend on what they find, and on many keys: an extension.

The documents name these operations. What each does to its entry is said by the interface of Apache Geode's
regions. Each function answers one question about plain values. Faulty variants of the answers follow.
"""

from __future__ import annotations

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.variant import variant


class EntryOperationDecisions(Subject):
    """What an operation does to an entry that is there, that is not, or that has another value."""

    @staticmethod
    @decision("EXT-COND-01")
    def changes_expected(kind: OperationKind, equal: bool) -> bool:  # noqa: ARG004
        """Whether what expects a value changes the entry: only where it finds that (Geode, Region).

        Args:
            kind: whether it replaces or removes.
            equal: whether the entry has the value that is expected.
        """
        return equal

    @staticmethod
    @decision("EXT-COND-02")
    def put_if_absent_stores(present: bool) -> bool:
        """Whether a putIfAbsent stores its value: only where no value is (Geode, Region.putIfAbsent)."""
        return not present

    @staticmethod
    @decision("EXT-COND-03")
    def replace_stores(present: bool) -> bool:
        """Whether a replace stores its value: only where there is one already (Geode, Region.replace)."""
        return present

    @staticmethod
    @decision("EXT-COND-04")
    def returns_previous(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether putIfAbsent and replace return the value that they find: they do (Geode, Region)."""
        return True

    @staticmethod
    @decision("EXT-COND-05")
    def create_stores(present: bool) -> bool:
        """Whether a member's create stores its value: it fails where there is one (Geode, Region.create)."""
        return not present

    @staticmethod
    @decision("EXT-COND-06")
    def invalid_is_present() -> bool:
        """Whether a key without a value is there for who asks: it is (Geode, Region.containsKey)."""
        return True

    @staticmethod
    @decision("EXT-TX-01")
    def finds_own_change(destroyed: bool) -> bool:  # noqa: ARG004
        """Whether a transaction finds an entry as it has changed it itself: it does (Geode, Transactions).

        Args:
            destroyed: whether it has destroyed the entry.
        """
        return True

    @staticmethod
    @decision("EXT-BULK-01")
    def carries_out_entry(kind: OperationKind, last: bool) -> bool:  # noqa: ARG004
        """Whether an operation on many keys carries out each of its entries: it does (Geode, Region.putAll).

        Args:
            kind: whether the entry is put or destroyed.
            last: whether it is the last one.
        """
        return True

    @staticmethod
    @decision("EXT-BULK-02")
    def removes_lacking() -> bool:
        """Whether a removeAll destroys what is not there: it leaves such a key alone (Geode, Region)."""
        return False


FAULTS = (
    variant(
        "replaces-whatever-is-there",
        "EXT-COND-01",
        "a replace of an expected value replaces any other value, too",
        changes_expected=lambda kind, equal: equal or kind is OperationKind.REPLACE_IF_EQUAL,
    ),
    variant(
        "removes-whatever-is-there",
        "EXT-COND-01",
        "a remove of an expected value removes any other value, too",
        changes_expected=lambda kind, equal: equal or kind is OperationKind.REMOVE_IF_EQUAL,
    ),
    variant(
        "never-finds-equal",
        "EXT-COND-01",
        "what expects a value does nothing though it finds it",
        changes_expected=lambda kind, equal: False,  # noqa: ARG005
    ),
    variant(
        "put-if-absent-overwrites",
        "EXT-COND-02",
        "a putIfAbsent replaces the value that is there",
        put_if_absent_stores=lambda present: True,  # noqa: ARG005
    ),
    variant(
        "put-if-absent-in-vain",
        "EXT-COND-02",
        "a putIfAbsent stores nothing where there is no value",
        put_if_absent_stores=lambda present: False,  # noqa: ARG005
    ),
    variant(
        "replace-creates",
        "EXT-COND-03",
        "a replace stores its value where there is none",
        replace_stores=lambda present: True,  # noqa: ARG005
    ),
    variant(
        "replace-in-vain",
        "EXT-COND-03",
        "a replace leaves the value that is there",
        replace_stores=lambda present: False,  # noqa: ARG005
    ),
    variant(
        "put-if-absent-returns-nothing",
        "EXT-COND-04",
        "a putIfAbsent does not return the value that has kept it from storing its own",
        returns_previous=lambda kind: kind is not OperationKind.PUT_IF_ABSENT,
    ),
    variant(
        "replace-returns-nothing",
        "EXT-COND-04",
        "a replace does not return the value that it has replaced",
        returns_previous=lambda kind: kind is not OperationKind.REPLACE,
    ),
    variant(
        "create-overwrites",
        "EXT-COND-05",
        "a create replaces the value that is there, and ends well",
        create_stores=lambda present: True,  # noqa: ARG005
    ),
    variant(
        "create-in-vain",
        "EXT-COND-05",
        "a create stores nothing where no value is there, and says that there was one",
        create_stores=lambda present: False,  # noqa: ARG005
    ),
    variant(
        "invalid-is-gone",
        "EXT-COND-06",
        "a key counts as absent once its entry is invalid",
        invalid_is_present=lambda: False,
    ),
    variant(
        "transaction-misses-its-puts",
        "EXT-TX-01",
        "a get in a transaction does not find what the transaction has put",
        finds_own_change=lambda destroyed: destroyed,
    ),
    variant(
        "transaction-misses-its-destroys",
        "EXT-TX-01",
        "a get in a transaction finds what the transaction has destroyed",
        finds_own_change=lambda destroyed: not destroyed,
    ),
    variant(
        "put-all-drops-last",
        "EXT-BULK-01",
        "a putAll leaves its last entry out",
        carries_out_entry=lambda kind, last: not last or kind is not OperationKind.PUT,
    ),
    variant(
        "remove-all-drops-last",
        "EXT-BULK-01",
        "a removeAll leaves its last key as it was",
        carries_out_entry=lambda kind, last: not last or kind is not OperationKind.DESTROY,
    ),
    variant(
        "remove-all-tells-of-lacking",
        "EXT-BULK-02",
        "listeners receive the destroy of a key that was not there when a removeAll named it",
        removes_lacking=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
