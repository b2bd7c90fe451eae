"""Which of several verdicts on a requirement stays."""

from __future__ import annotations

from plumbline.reference.results.verdicts import Verdict, merge


def test_what_to_declare_is_told_before_that_nothing_happened():
    assert merge([Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED]) is Verdict.UNSUPPORTED
    assert merge([Verdict.UNSUPPORTED, Verdict.PASS]) is Verdict.PASS
    assert merge([]) is Verdict.NOT_EXERCISED
