"""The figures of a candidate's pace: examples that end as they should, and one that does not is no figure."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.benchmarks.pace import calm, main, pace, with_a_crash
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.session import Session


def test_the_figures_of_a_candidate_are_printed(capsys: pytest.CaptureFixture[str]):
    assert main(["reference", "--calm", "2", "--crashes", "4"]) == 0
    load, of_calm, of_crash = capsys.readouterr().out.splitlines()
    assert load.startswith("reference, load average ")
    assert of_calm.startswith("calm: 2 examples in ")
    assert of_crash.startswith("crash: 4 examples in ")


@pytest.mark.parametrize("play", [calm, with_a_crash])
def test_what_does_not_hold_what_was_put_has_no_pace(play: Callable[[Driver, int], None]):
    with (
        Session(find_candidate("faulty:queue-of-nothing")) as session,
        pytest.raises(ValueError, match="does not hold"),
    ):
        pace(session, 1, play)
