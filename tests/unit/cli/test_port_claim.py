"""Ports of local clusters: claimed once, found by clients, and released at the end."""

import json
import os
import re
import socket

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.client.places import find_endpoints
from aeron_cluster.cli.main import main
from aeron_cluster.cli.processes import port_claim
from aeron_cluster.cli.processes.port_claim import PortClaim, announced_clusters
from aeron_cluster.errors import ConfigurationError, ForeignDirectoryError, PortInUseError


@pytest.fixture(autouse=True)
def claims(tmp_path, monkeypatch):
    """Use a claims directory of this test; return it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def directory():
        (found,) = tmp_path.iterdir()
        return found

    return directory


def test_a_cluster_is_announced_while_it_has_its_ports(free_port):
    base = free_port(30)
    with PortClaim(3, base) as claim:
        assert (
            claim.endpoints == f"localhost:{base + 1},localhost:{base + 11},localhost:{base + 21}"
        )
        assert announced_clusters() == []
        claim.announce("data")
        (found,) = announced_clusters()
        assert (found.endpoints, found.directory) == (claim.endpoints, "data")
        assert found.pid == os.getpid()
    assert announced_clusters() == []


def test_clients_of_several_clusters_must_choose_one(free_port):
    with PortClaim(1, free_port(10)) as one, PortClaim(2, free_port(20)) as other:
        one.announce("data")
        assert find_endpoints(None) == one.endpoints
        other.announce("more")
        done = CliRunner().invoke(main, ["send", "hello"])
        assert done.exit_code == 2
        reported = done.stderr.removeprefix("error: 2 local clusters are running: choose one with ")
        choices = [f"--to {each.endpoints}" for each in (one, other)]
        assert sorted(reported.rstrip().split("; ")) == sorted(choices)
        assert find_endpoints(one.endpoints) == one.endpoints


def test_no_two_commands_have_the_same_ports(free_port):
    with PortClaim(1) as first, PortClaim(1) as second:
        assert first.port_base != second.port_base
        assert first.port_base % 100 == second.port_base % 100 == 0
    base = free_port(10)
    with PortClaim(1, base), pytest.raises(PortInUseError, match="another local cluster"):
        PortClaim(1, base)
    with PortClaim(1, base):  # released
        pass


@pytest.mark.parametrize(("members", "offset"), [(1, 1), (1, 5), (2, 13)])
def test_a_port_of_another_program_is_rejected_by_name(free_port, members, offset):
    base = free_port(20)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", base + offset))
        with pytest.raises(PortInUseError, match=f"localhost:{base + offset}/udp"):
            PortClaim(members, base)


@pytest.mark.parametrize("count", [0, 10])
def test_count_without_a_key_is_rejected(count):
    with pytest.raises(ConfigurationError, match="from 1 to 9"):
        PortClaim(count)


def test_announcement_of_an_ended_process_is_ignored(free_port, claims):
    base = free_port(10)
    with PortClaim(1, base) as claim:
        claim.announce("data")
        file = claims() / f"{base}.json"
        announced = json.loads(file.read_text())
        for text in (
            json.dumps(announced | {"pid": 2**22 + 1}),
            json.dumps(announced | {"identity": "00" * 8}),
            json.dumps({"pid": 1}),
            json.dumps(announced)[:-9],
            "[]",
            "",
        ):
            file.write_text(text)
            assert announced_clusters() == []
    with PortClaim(1, base) as claim:
        claim.announce("data")
        assert [each.directory for each in announced_clusters()] == ["data"]


def test_directory_replaced_by_a_link_is_rejected(tmp_path, claims, free_port):
    with PortClaim(1, free_port(10)):
        place = claims()
    (place.parent / "elsewhere").mkdir()
    for each in place.iterdir():
        each.unlink()
    place.rmdir()
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="a link or a file"):
        PortClaim(1, free_port(10))


def test_ranges_in_use_are_passed_over_until_none_is_left(free_port, monkeypatch):
    base = free_port(10)
    bases = range(base, base + 1)
    monkeypatch.setattr(port_claim, "_BASES", bases)
    with PortClaim(1) as claim:
        assert claim.port_base == bases.start
        with pytest.raises(ConfigurationError, match=f"ports: expected 10 free .*{bases.start}"):
            PortClaim(1)
    claim.close()
    with PortClaim(1) as again:  # closed twice, and free
        assert again.port_base == bases.start


def test_directory_of_another_user_is_rejected(monkeypatch, claims, free_port):
    with PortClaim(1, free_port(10)):
        place = claims()
    other = os.getuid() + 1
    monkeypatch.setattr(port_claim, "user_name", lambda: place.name.rpartition("-")[2])
    monkeypatch.setattr(os, "getuid", lambda: other)
    with pytest.raises(ForeignDirectoryError, match=re.escape(str(place))):
        PortClaim(1, free_port(10))


def test_missing_directory_for_temporary_files_is_rejected_by_its_variable(
    tmp_path, monkeypatch, free_port
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match="TMPDIR: expected a writable directory"):
        PortClaim(1, free_port(10))


def test_user_without_a_name_has_a_number(monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    assert port_claim.user_name() == str(2**31 - 7)
