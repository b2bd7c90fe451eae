"""What can go wrong between harness and candidate, apart from the candidate being wrong."""

from __future__ import annotations


class AdapterError(Exception):
    """The adapter died, hung, or answered what the protocol does not allow. Says nothing of the candidate.

    Attributes:
        last_words: the tail of what the adapter printed to its error stream, for people.
    """

    def __init__(self, message: str, last_words: str = "") -> None:
        super().__init__(message)
        self.last_words = last_words


class UnansweredError(AdapterError):
    """One request was not answered at all, all its time long; its adapter has been ended for that.

    Attributes:
        method: what was asked.
    """

    def __init__(self, message: str, last_words: str = "", *, method: str) -> None:
        super().__init__(message, last_words)
        self.method = method


class UnsupportedError(Exception):
    """The candidate lacks a feature; a requirement that needs it is *unsupported*, never passed."""


class RefusedError(Exception):
    """The candidate has refused what was asked, in its own words: an observation, and judged as one."""


class UnknownCandidateError(Exception):
    """No candidate is named so; the message names near matches and the remedy."""


class MissingToolError(Exception):
    """Something that the candidate needs (Java, Maven, an extra) is not installed; says how to get it."""
