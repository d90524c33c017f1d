"""``aeron-cluster local``: its data directory, and its options for small shared memory."""

import resource
import shutil
import signal
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.local import local
from aeron_cluster.cli.main import main
from aeron_cluster.cli.options.properties import read_properties
from aeron_cluster.errors import PlatformError


@pytest.fixture(autouse=True)
def claims(tmp_path, monkeypatch):
    """Use a directory of this test for claims of ports."""
    (tmp_path / "claims").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "claims"))


@pytest.mark.parametrize("content", ["", "[]", "{}", "not JSON"])
def test_directory_with_a_damaged_mark_is_rejected(tmp_path, free_port, content):
    data = tmp_path / "data"
    data.mkdir()
    mark = data / "aeron-cluster-local.json"
    mark.write_text(content)
    options = ("--service", "a:B", "--dir", str(data), "--port-base", str(free_port(30)))
    done = CliRunner().invoke(main, ["local", "3", *options])
    assert done.exit_code == 2, done.output
    assert f"error: --dir: expected the number of members in {mark}" in done.stderr
    assert [each.name for each in data.iterdir()] == [mark.name]
    assert mark.read_text() == content


def test_mark_of_a_directory_survives_a_full_disk(tmp_path):
    data = tmp_path / "data"
    with local._DataDirectory(data, 3):
        pass
    mark = data / "aeron-cluster-local.json"
    content = mark.read_text()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(PlatformError):
            local._DataDirectory(data, 3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert mark.read_text() == content


@pytest.mark.parametrize(("free", "is_small"), [((2 << 30) - 1, True), (2 << 30, False)])
def test_members_have_small_buffers_if_there_is_little_shared_memory(monkeypatch, free, is_small):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    words = local._small_memory()
    assert set(words[::2]) == ({"-o"} if is_small else set())
    found = read_properties([], words[1::2])
    assert ("term-length=" in found.get("aeron.cluster.log.channel", "")) == is_small
