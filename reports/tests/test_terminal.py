"""What a terminal shows, and what it is never sent."""

from __future__ import annotations

import io
import shlex
import unicodedata

import pytest
from rich.console import Console

from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.runs import Counterexample, Difference, Reduction
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.terminal import as_text, render_counterexample, render_summary
from plumbline.reports.tests.samples import (
    HOSTILE,
    counterexample,
    hostile_counterexample,
    long_history,
    row,
)

TITLES = {"VER-TIE-01": "the higher member wins"}


def lines(one: Counterexample) -> list[str]:
    return as_text(render_counterexample(one, TITLES), width=120).splitlines()


def test_the_nearest_right_run_is_told_where_expected_does_not_tell_it() -> None:
    near = Difference(place="B holds, under x", right="v3", seen="v2")
    apart = counterexample(nearest=(near,), right_runs=24)
    assert "Closest correct run (24 tried)" in as_text(render_counterexample(apart))
    alike = counterexample(nearest=(near,), right_runs=24, expected=("B holds, under x: v3",))
    assert "Closest correct run" not in as_text(render_counterexample(alike))


def test_a_counterexample_is_told_from_the_plan_to_the_replay_line() -> None:
    one = counterexample()
    text = "\n".join(lines(one))
    told = (
        "VER-TIE-01 (the higher member wins)",
        *setup_words(one.history),
        *one.plan,
        *one.expected,
        *one.seen,
        "listener of B",
        one.replay,
    )
    places = [text.index(words) for words in told]
    assert places == sorted(places)
    assert "failed in 5 of 5 replays" in text


def test_of_many_requirements_the_narrowest_are_named_with_titles_and_the_others_by_their_ids() -> None:
    named = ("CONS-RR-03", "CONS-RR-04", "VER-ID-01", "VER-TIE-01", "DISC-LSN-01")
    text = " ".join(" ".join(lines(counterexample(requirements=named))).split())
    assert "Violates CONS-RR-03, CONS-RR-04, VER-ID-01; it may also violate VER-TIE-01, DISC-LSN-01" in text


def test_the_story_holds_calls_returns_and_listener_events_in_order() -> None:
    text = "\n".join(lines(counterexample()))
    assert text.index("#2 put x = v2 on A") < text.index("• #2 update x = v2") < text.index("#2 → ok")
    assert "B        ✗ • #2 update x = v2" in text, "marked: here explaining ended"


@pytest.mark.parametrize("width", [40, 60, 200])
@pytest.mark.parametrize("word", ["short", "runs/" + "long" * 50 + "/file.json"])
def test_the_replay_line_can_be_copied_at_any_width(width: int, word: str) -> None:
    words = [
        word,
        "plumbline",
        "run",
        "--candidate",
        "process:./my adapter --stdio",
        "--text",
        'it\'s "so"',
        "--seed",
        "7",
    ]
    command = shlex.join(words)
    text = as_text(render_counterexample(counterexample(replay=command)), width=width)
    _, _, copied = text.partition("Replay it\n")
    assert max(map(len, copied.splitlines())) <= width
    joined = copied.strip().replace("\\\n", "")
    assert "\n" not in joined, "every line but the last ends so that a shell reads on"
    assert shlex.split(joined) == words


@pytest.mark.parametrize(
    ("minimal", "end"), [(True, "; none can be left out"), (False, ", until the budget was used up")]
)
def test_it_is_told_how_an_example_was_made_small(minimal: bool, end: str) -> None:
    reduction = Reduction(operations_before=1_016, runs=17, minimal=minimal)
    text = as_text(render_counterexample(counterexample(reduction=reduction)), width=200)
    assert f"found with 1,016 operations and made small in 17 runs{end}\n" in text


def test_a_long_story_is_cut_and_the_cut_is_told() -> None:
    told = lines(counterexample(long_history(500)))
    assert len(told) < 300
    assert any("more" in line for line in told)


def test_no_text_of_a_candidate_reaches_the_terminal_as_a_command() -> None:
    sink = io.StringIO()
    console = Console(file=sink, width=100, color_system=None, force_terminal=True)
    console.print(render_counterexample(hostile_counterexample(), {HOSTILE: HOSTILE}))
    console.print(render_summary([row(HOSTILE, Verdict.FAIL, reason=HOSTILE)], {HOSTILE: HOSTILE}))
    # Without a colour system rich itself still sends bold and the like: ESC [ digits m, and no other.
    left = sink.getvalue()
    for code in ("0", "1", "2", "3", "4", "1;4"):
        left = left.replace(f"\x1b[{code}m", "")
    assert {letter for letter in set(left) if unicodedata.category(letter)[0] == "C"} <= {"\n"}


def test_markup_of_rich_is_shown_and_not_obeyed() -> None:
    text = as_text(
        render_summary([row(verdict=Verdict.FAIL, reason="[bold]x[/bold] [link=file:///etc]y[/link]")])
    )
    assert "[bold]x[/bold] [link=file:///etc]y[/link]" in text


def test_a_megabyte_of_text_is_bounded() -> None:
    assert len(as_text(render_counterexample(hostile_counterexample(HOSTILE * 8_000)))) < 60_000


def test_a_summary_counts_merged_verdicts_and_names_what_is_wrong_with_its_reason() -> None:
    rows = [
        row(),
        row(verdict=Verdict.FAIL, reason="B keeps v2"),
        row("A-B-01"),
        row("A-B-02", Verdict.UNKNOWN, reason="the budget was used up"),
        row("A-B-03", Verdict.UNSUPPORTED, reason="no gates"),
    ]
    text = as_text(render_summary(rows, TITLES))
    told = ["1  ✗ fail", "1  ? unknown", "1  ✓ pass", "1  ⊘ unsupported"]
    assert text.splitlines()[:4] == told
    assert "VER-TIE-01  the higher member wins\n                       B keeps v2" in text
    assert "A-B-02      the budget was used up" in text
    assert "no gates" not in text
    assert text.rstrip().endswith("exit code 1: a requirement is violated")


def test_a_summary_of_passes_is_green_only_if_the_run_is_complete() -> None:
    assert "exit code 0: every judged requirement holds" in as_text(render_summary([row()]))
    incomplete = as_text(render_summary([row()], complete=False))
    assert "UNFINISHED RUN, exit code 2" in incomplete
    assert "exit code 0" not in incomplete


def test_a_summary_of_nothing_could_not_judge() -> None:
    text = as_text(render_summary([]))
    assert "0  requirements were judged" in text
    assert "exit code 2: no complete verdict: something could not be judged" in text


def test_many_failures_are_cut_and_counted() -> None:
    text = as_text(render_summary([row(f"A-B-{number:03}", Verdict.FAIL) for number in range(100)]))
    assert "… and 60 more" in text


def test_a_reason_that_many_requirements_share_is_told_once() -> None:
    rows = [row(f"A-B-{number:03}", Verdict.ADAPTER_ERROR, reason="it died") for number in range(100)]
    rows.append(row(verdict=Verdict.ADAPTER_ERROR, reason="it hung"))
    text = as_text(render_summary(rows))
    assert text.count("it died") == 1
    assert "! adapter error  100 requirements: it died" in text
    assert "VER-TIE-01" in text
    assert "A-B-" not in text


def test_advice_stands_before_the_exit_code_and_changes_nothing() -> None:
    text = as_text(render_summary([row()], advice=["remove \x1b[31m it"]))
    assert text.splitlines()[-3:-1] == ["remove \\u{1B}[31m it", ""]
    assert text.replace("\nremove \\u{1B}[31m it\n", "") == as_text(render_summary([row()]))
