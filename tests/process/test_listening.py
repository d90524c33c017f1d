"""A node with default settings receives nothing from other machines."""

import socket
import struct
import sys
from pathlib import Path

import pytest

from aeron_cluster.cli.processes.node import node as node_command
from aeron_cluster.cli.processes.node_process import NodeProcess
from aeron_cluster.cluster.assembly import local_member
from aeron_cluster.cluster.security.source_identity import LOOPBACK, canonical_host, host_of
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import ALL_OPTIONS
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import UdpNetwork
from tests.conftest import PYTHON_PATH
from tests.process.test_node_layouts import Counting, launch, send_request
from tests.waiting import await_true

__all__ = ["launch"]

ECHOING = """\
from aeron_cluster.cluster.service.clustered_service import ClusteredService


class Echoing(ClusteredService):
    pass
"""
ANY = ("0.0.0.0", "::")


def bound_sockets():
    """Return the addresses of this process's UDP sockets, each with its connected peer."""
    own = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            own.add(str(entry.readlink()))
        except OSError:
            continue  # closed in the meantime
    found = []
    for family, name in ((socket.AF_INET, "udp"), (socket.AF_INET6, "udp6")):
        for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if f"socket:[{fields[9]}]" in own:
                found.append((address(family, fields[1]), address(family, fields[2])))
    return found


def address(family, text):
    host, port = text.split(":")
    words = [int(host[at : at + 8], 16) for at in range(0, len(host), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    return Address(socket.inet_ntop(family, packed), int(port, 16))


def reachable(sockets):
    """Return the sockets that receive from other machines."""
    return [
        each for each in sockets if canonical_host(each[0].host) != LOOPBACK or each[0].host in ANY
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="sockets are listed in /proc")
def test_a_node_with_its_defaults_accepts_this_machine_only(launch):
    before = set(bound_sockets())
    with launch(Counting()) as node:
        assert send_request(node, 3) == [1, 2, 3]
        opened = set(bound_sockets()) - before
        ports = {each[0].port for each in opened}
        assert int(node.member.ingress_endpoint.rpartition(":")[2]) in ports
        assert int(node.member.archive_endpoint.rpartition(":")[2]) in ports
        assert reachable(opened) == []


@pytest.mark.parametrize(
    "option",
    [option for option in ALL_OPTIONS if str(option.default).startswith("aeron:")],
    ids=str,
)
def test_every_channel_is_local_by_default(option):
    uri = ChannelUri.parse(option.default)
    for key in ("endpoint", "control"):
        assert key not in uri or canonical_host(host_of(uri.get(key))) in (LOOPBACK, "localhost")
    assert "interface" not in uri


def test_a_member_is_local_by_default():
    endpoints = local_member().endpoints.split(",")
    assert {host_of(each) for each in endpoints} == {"localhost"}
    (host,) = [each for each in node_command.params if each.name == "host"]
    assert host.default == "localhost"


@pytest.mark.parametrize(
    ("host", "users", "is_reported"),
    [("127.0.0.1", False, False), ("own", False, True), ("own", True, False)],
)
def test_warning_is_printed_if_a_node_is_open_to_everyone(
    host, users, is_reported, tmp_path, free_port, monkeypatch
):
    own = [one.address.host for one in UdpNetwork().interfaces() if not one.is_loopback]
    own = [each for each in own if ":" not in each]
    if host == "own" and not own:
        pytest.skip("no network but loopback")
    (tmp_path / "users").write_text("")
    (tmp_path / "echoing.py").write_text(ECHOING)
    arguments = ["--service", "echoing:Echoing", "--dir", str(tmp_path / "data")]
    arguments += ["--host", own[0] if host == "own" else host, "--port-base", str(free_port(10))]
    arguments += ["-o", "aeron.cluster.log.channel=aeron:udp?term-length=1m"]
    arguments += ["--users", str(tmp_path / "users")] if users else []
    reported = []
    monkeypatch.setenv("PYTHONPATH", f"{PYTHON_PATH}:{tmp_path}")
    with NodeProcess(*arguments) as process:

        def is_elected():
            process.check()
            reported.extend(process.lines())
            return any(" in term " in line for line in reported)

        await_true(is_elected, "the node leads")
    assert any("warning: anyone who can reach" in line for line in reported) is is_reported
