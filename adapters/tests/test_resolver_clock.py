"""Timestamps that a conflict resolver of the reference is told of."""

from __future__ import annotations

from itertools import combinations

from plumbline.adapters.reference.resolver_answers import millisecond
from plumbline.reference.history.operations import Site, Topology
from plumbline.reference.model.setting import Setting
from plumbline.reference.rulebook.book import Rulebook


def test_a_long_chain_of_conflicts_is_dated_at_once():
    setting = Setting(Rulebook(), Topology(sites=(Site(number=1, members=("A",)),)), (), None)
    # Each is later than all with a higher number, as the model has it once the neighbours were compared.
    pairs = frozenset(combinations(range(1, 201), 2))
    assert millisecond(setting, pairs, frozenset((1, 5))) == 200 + 199


def test_who_beat_nobody_has_the_time_of_its_own_clock():
    setting = Setting(Rulebook(), Topology(sites=(Site(number=1, members=("A",)),)), (), None)
    assert millisecond(setting, frozenset(), frozenset((7, 3))) == 7
    assert millisecond(setting, frozenset(), frozenset()) == 0
