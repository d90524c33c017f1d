"""Which credentials files are accepted and which are rejected."""

import pytest

from aeron_cluster.cluster.security.file_credentials import FileCredentials
from aeron_cluster.errors import AccessFileError
from aeron_cluster.memory.system.seams import SystemFiles


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.touch(0o600)
    return path


def test_follows_the_current_first_line(secret):
    secret.write_bytes(b"backup-1:a word\r\nnot this\n")
    credentials = FileCredentials(SystemFiles(), str(secret))
    assert credentials.encoded_credentials() == b"backup-1:a word"
    secret.write_bytes(b"backup-1:another")
    assert credentials.encoded_credentials() == b"backup-1:another"


def test_reads_through_a_link_like_a_mounted_secret(secret, tmp_path):
    secret.write_bytes(b"backup-1:a word")
    link = tmp_path / "link"
    link.symlink_to(secret)
    assert FileCredentials(SystemFiles(), str(link)).encoded_credentials() == b"backup-1:a word"


@pytest.mark.parametrize(
    ("text", "mode", "expected"),
    [
        (b"", 0o600, "line 1: expected name:password"),
        (b"\nbackup-1:late", 0o600, "line 1: expected name:password"),
        (b"backup-1:a word", 0o644, "that others cannot read, found mode 0644"),
        (b"backup-1:a word", 0o602, "that others cannot read, found mode 0602"),
    ],
)
def test_unreliable_content_is_rejected(secret, text, mode, expected):
    secret.write_bytes(text)
    secret.chmod(mode)
    with pytest.raises(AccessFileError, match=expected):
        FileCredentials(SystemFiles(), str(secret))
    with pytest.raises(AccessFileError, match="that can be read"):
        FileCredentials(SystemFiles(), f"{secret}-of-nobody")
