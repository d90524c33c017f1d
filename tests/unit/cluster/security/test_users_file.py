"""The users file: its content, invalid lines, and changes."""

import base64
import hashlib

import pytest

from aeron_cluster.cluster.security.users_file import (
    PasswordHash,
    check_name,
    parse_users,
    with_user,
    without_user,
)
from aeron_cluster.errors import AccessFileError, ConfigurationError

SALT = bytes(range(16))
# Low cost: the cost is not tested.
ALICE = PasswordHash.of(b"secret", SALT, log_cost=10)
BOB = PasswordHash.of(b"other", SALT[::-1], log_cost=10)


def hash_text(ln=14, r=8, p=1, salt=SALT, digest=bytes(32)):
    def text(data):
        return base64.b64encode(data).decode().rstrip("=")

    return f"$scrypt$ln={ln},r={r},p={p}${text(salt)}${text(digest)}"


def test_a_hash_matches_one_password():
    assert ALICE.matches(b"secret")
    for other in (b"", b"Secret", b"secret ", b"secre"):
        assert not ALICE.matches(other)
    assert PasswordHash.of(b"secret", b"another salt...!", log_cost=10).digest != ALICE.digest


def test_a_hash_has_the_usual_format_of_scrypt():
    hashed = PasswordHash.of(b"pleaseletmein", b"SodiumChloride")
    expected = hashlib.scrypt(b"pleaseletmein", salt=b"SodiumChloride", n=16384, r=8, p=1, dklen=32)
    # RFC 7914, section 12: the first half of its 64 bytes.
    assert expected.hex().startswith("7023bdcb3afd7348461c06cd81fd38eb")
    assert hashed.digest == expected
    assert str(hashed) == hash_text(salt=b"SodiumChloride", digest=expected)
    assert PasswordHash.parse(str(hashed)) == hashed


def test_neither_salt_nor_digest_is_shown():
    assert repr(ALICE) == "PasswordHash(log_cost=10, block_size=8, parallelism=1)"


def test_reads_users_between_comments():
    data = f"# users\n\nalice:{ALICE}\r\n   bob:{BOB}  \n#eve:{BOB}\n".encode()
    assert parse_users("users", data) == {"alice": ALICE, "bob": BOB}
    assert parse_users("users", b"") == {}


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("alice", "expected name:hash, found no colon"),
        (f":{ALICE}", "expected a name without blanks"),
        (f"al ice:{ALICE}", "expected a name without blanks"),
        (f"*:{ALICE}", "expected a name without blanks"),
        (f"{'a' * 129}:{ALICE}", "expected a name without blanks"),
        (f"bob:{ALICE}", "expected each name once, found 'bob' again"),
        ("alice:secret", r"expected a hash as \$scrypt\$"),
        (f"alice: {ALICE}", "expected a hash as"),
        (f"alice:{ALICE}:more", "expected a hash as"),
        (f"alice:{hash_text(ln=9)}", "expected ln from 10 to 17"),
        (f"alice:{hash_text(ln=18)}", "expected ln from 10 to 17"),
        (f"alice:{hash_text(ln=17, r=16)}", "at most 64 MiB"),
        (f"alice:{hash_text(r=0)}", "at most 64 MiB"),
        (f"alice:{hash_text(p=5)}", "p from 1 to 4"),
        (f"alice:{hash_text(salt=b'short')}", "a salt of 8 to 64 bytes"),
        (f"alice:{hash_text(digest=bytes(8))}", "a hash of 16 to 64"),
        ("alice:$scrypt$ln=14,r=8,p=1$A$" + "A" * 40, "Base64"),
    ],
)
def test_an_invalid_line_is_named(line, reported):
    data = f"# users\nbob:{BOB}\n{line}\n".encode()
    with pytest.raises(AccessFileError, match=reported) as caught:
        parse_users("/etc/users", data)
    assert (caught.value.path, caught.value.line) == ("/etc/users", 3)
    assert "/etc/users line 3: expected" in str(caught.value)
    # Neither a hash nor a password written in its place.
    assert "secret" not in str(caught.value)
    assert str(ALICE) not in str(caught.value)


def test_invalid_text_is_named():
    with pytest.raises(AccessFileError, match="users line 2: expected text in UTF-8"):
        parse_users("users", b"# ok\n\xff\xfe\n")


def test_users_are_added_changed_and_removed_between_comments():
    data = with_user("users", b"# ours", "alice", ALICE)
    data = with_user("users", data, "bob", BOB)
    assert data == f"# ours\nalice:{ALICE}\nbob:{BOB}\n".encode()
    data = with_user("users", data, "alice", BOB)
    assert data == f"# ours\nalice:{BOB}\nbob:{BOB}\n".encode()
    assert without_user("users", data, "alice") == f"# ours\nbob:{BOB}\n".encode()
    assert without_user("users", data, "eve") == data


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\x1c", " "])
def test_a_user_after_any_white_space_is_replaced_and_removed(blank):
    data = f"{blank}alice:{BOB}\nbob:{BOB}\n".encode()
    assert set(parse_users("users", without_user("users", data, "alice"))) == {"bob"}
    changed = with_user("users", data, "alice", BOB)
    assert changed.count(b"alice") == 1


def test_a_damaged_file_is_not_written_to():
    for change in (
        lambda d: with_user("users", d, "a", ALICE),
        lambda d: without_user("users", d, "a"),
    ):
        with pytest.raises(AccessFileError):
            change(b"nonsense\n")


@pytest.mark.parametrize("name", ["", "a b", "a:b", "#a", "*", "a,b", "a\n", "a\x00", "a\u2028b"])
def test_invalid_user_names_are_rejected(name):
    with pytest.raises(ConfigurationError, match="user: expected a name without"):
        check_name(name)
