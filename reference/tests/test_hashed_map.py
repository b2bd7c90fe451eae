from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.reference.search.hashed_map import HashedMap

Change = tuple[str, int | None]

NOTHING: HashedMap[str, int] = HashedMap()

CHANGES = st.lists(st.tuples(st.sampled_from("abcd"), st.none() | st.integers(0, 3)))
"""Set a key to a number, or delete it."""


def after(changes: list[Change]) -> tuple[HashedMap[str, int], dict[str, int]]:
    """A map and a dictionary that have seen the same changes."""
    mapping = NOTHING
    plain: dict[str, int] = {}
    for key, value in changes:
        if value is None:
            mapping = mapping.delete(key)
            plain.pop(key, None)
        else:
            mapping = mapping.set(key, value)
            plain[key] = value
    return mapping, plain


@settings(deadline=None)
@given(CHANGES)
def test_it_holds_what_a_dictionary_would_hold(changes: list[Change]):
    mapping, plain = after(changes)
    assert dict(mapping.items()) == plain
    assert sorted(mapping) == sorted(plain)
    assert list(mapping.in_order()) == sorted(plain.items())
    assert sorted(mapping.values()) == sorted(plain.values())
    assert len(mapping) == len(plain)
    assert all((key in mapping) == (key in plain) for key in "abcd")
    assert all(mapping.get(key, -1) == plain.get(key, -1) for key in "abcd")
    assert all(mapping[key] == plain[key] for key in plain)


@settings(deadline=None)
@given(CHANGES, CHANGES)
def test_two_are_equal_and_hash_alike_exactly_if_their_contents_are_equal(
    one: list[Change], other: list[Change]
):
    mapping, plain = after(one)
    again, plain_again = after(other)
    assert (mapping == again) == (plain == plain_again)
    if plain == plain_again:
        assert hash(mapping) == hash(again)


@settings(deadline=None)
@given(CHANGES)
def test_the_hash_tells_of_the_contents_and_not_of_how_they_came_about(changes: list[Change]):
    mapping, plain = after(changes)
    at_once = after(list(plain.items()))[0]
    backwards = after(list(reversed(plain.items())))[0]
    assert hash(mapping) == hash(at_once) == hash(backwards)
    assert len({mapping, at_once, backwards}) == 1


def test_contents_that_differ_hash_differently():
    maps = [
        after(list(zip("abcd", numbers, strict=False)))[0] for numbers in ((), (1,), (2,), (1, 2), (2, 1))
    ]
    assert len({hash(each) for each in maps}) == len(maps)


def test_a_change_leaves_the_map_it_was_made_from_as_it_was():
    one = NOTHING.set("a", 1)
    digest = hash(one)
    one.set("a", 2)
    one.delete("a")
    one.set("b", 1)
    assert dict(one.items()) == {"a": 1}
    assert hash(one) == digest


def test_deleting_what_is_not_there_changes_nothing():
    one = NOTHING.set("a", 1)
    assert one.delete("b") is one


def test_equal_hashes_alone_do_not_make_two_equal():
    one = NOTHING.set("a", 1)
    impostor = HashedMap(NOTHING.set("b", 2)._map, one.digest)
    assert hash(one) == hash(impostor)
    assert one != impostor
