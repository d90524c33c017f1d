"""Users and policy files with any bytes: accepted, or rejected with the line."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.security.policy_file import parse_policy
from aeron_cluster.cluster.security.users_file import (
    PasswordHash,
    parse_users,
    with_user,
    without_user,
)
from aeron_cluster.errors import AccessFileError

HASH = PasswordHash.of(b"secret", b"salt" * 4, log_cost=10)
NAMES = st.text(
    st.characters(exclude_characters=":#*,", categories=["L", "N", "P", "S"]), min_size=1
)
LINES = st.one_of(
    st.binary(max_size=60),
    st.builds(lambda name: f"{name}:{HASH}".encode(), NAMES),
    st.sampled_from([b"# comment", b"", b"admin: connect snapshot", b"*: all", b"x: 111.26.0"]),
    st.builds(
        lambda words: b"p: " + b" ".join(words), st.lists(st.binary(max_size=12), max_size=4)
    ),
)
FILES = st.builds(b"\n".join, st.lists(LINES, max_size=12))


@st.composite
def damaged(draw):
    """Return a good file with a few changed bytes."""
    good = bytearray(f"# users\nalice:{HASH}\nbob:{HASH}\n".encode())
    for at, value in draw(
        st.lists(st.tuples(st.integers(0, len(good) - 1), st.integers(0, 255)), max_size=4)
    ):
        good[at] = value
    return bytes(good[: draw(st.integers(0, len(good)))])


def read_or_rejected(parse, data):
    try:
        return parse("file", data)
    except AccessFileError as caught:
        error = caught
    assert error.path == "file"
    assert 1 <= error.line <= data.count(b"\n") + 1
    assert str(HASH) not in str(error)
    return None


@given(data=st.one_of(FILES, damaged(), st.binary(max_size=300)))
def test_a_file_of_users_is_read_or_rejected(data):
    users = read_or_rejected(parse_users, data)
    if users is not None:
        # Its written form is read back the same.
        again = "".join(f"{name}:{each}\n" for name, each in users.items()).encode()
        assert parse_users("file", again) == users


@given(data=st.one_of(FILES, st.binary(max_size=300)))
def test_a_policy_is_read_or_rejected(data):
    policy = read_or_rejected(parse_policy, data)
    if policy is not None:
        assert all(isinstance(rules, frozenset) for rules in policy.values())


@given(data=FILES, name=NAMES.filter(lambda name: len(name) <= 128))
def test_adding_and_removing_a_user_changes_no_other(data, name):
    before = read_or_rejected(parse_users, data)
    if before is None:
        return
    added = with_user("file", data, name, HASH)
    assert parse_users("file", added) == {**before, name: HASH}
    removed = parse_users("file", without_user("file", added, name))
    assert removed == {each: value for each, value in before.items() if each != name}
