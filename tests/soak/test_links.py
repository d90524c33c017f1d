"""Hosts in network namespaces: a cut link delivers nothing, and the namespaces are removed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interop.java_peer import Peer
from tests.soak.links import Namespaces, NoNamespacesError
from tests.waiting import await_true

RECEIVE = """\
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
    receiver.bind((sys.argv[1], 9000))
    while True:
        print(receiver.recv(99).decode(), flush=True)
"""
EMIT = """\
import contextlib, socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, contextlib.suppress(OSError):
    sender.sendto(sys.argv[2].encode(), (sys.argv[1], 9000))
"""
BURST, BURST_WORD = 100, "x" * 99
EMIT_BURST = f"""\
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    for _ in range({BURST}):
        sender.sendto(b"{BURST_WORD}" + bytes(300), (sys.argv[1], 9000))
"""


@pytest.fixture
def links():
    try:
        with Namespaces(2) as made:
            yield made
    except NoNamespacesError as error:
        pytest.skip(f"no network namespaces: {error}")


class ReceivingHost:
    """A host that collects what it receives from the other one."""

    def __init__(self, links, host, log):
        self._links = links
        self._host = host
        self._address = links.addresses[host]
        self.peer = Peer("receiver", self._command(host, RECEIVE), log)

    def _command(self, host, program, *arguments):
        command = [sys.executable, "-I", "-S", "-c", program, self._address, *arguments]
        return self._links.command(host, command)

    def emit(self, word):
        subprocess.run(self._command(1 - self._host, EMIT, word), check=True, timeout=60)

    def emit_burst(self):
        subprocess.run(self._command(1 - self._host, EMIT_BURST), check=True, timeout=60)

    @property
    def words(self):
        self.peer.read(0.05)
        return {each["line"] for each in self.peer.events}

    def await_received(self, word):
        await_true(lambda: self.emit(word) or word in self.words, f"{word} is received")


def test_a_cut_link_delivers_nothing_until_it_is_healed(links, tmp_path):
    second = ReceivingHost(links, 1, tmp_path / "second.log")
    first = ReceivingHost(links, 0, tmp_path / "first.log")
    try:
        second.await_received("first")
        first.await_received("first")
        links.unplug(1)
        second.emit("unplugged")
        links.plug(1)
        second.await_received("plugged")
        links.block(0, 1)
        second.emit("blocked")
        first.await_received("one way")
        links.heal()
        second.await_received("healed")
        assert not second.words & {"unplugged", "blocked"}
    finally:
        second.peer.stop()
        first.peer.stop()


def test_namespaces_are_removed_after_an_error():
    own = f"netns/acsoak-{os.getpid()}-*"  # other processes may have namespaces too
    try:
        with Namespaces(2) as links:
            assert len(list(Path("/var/run").glob(own))) == 3
            links.unplug(0)
    except NoNamespacesError as error:
        pytest.skip(f"no network namespaces: {error}")
    assert list(Path("/var/run").glob(own)) == []


def test_a_slow_link_drops_datagrams_until_it_is_healed(links, tmp_path):
    if links.slow_by is None:
        pytest.skip("tc has neither netem nor tbf")
    receiver = ReceivingHost(links, 1, tmp_path / "receiver.log")

    def arrived():
        receiver.peer.read(0.05)
        return sum(each["line"] == BURST_WORD for each in receiver.peer.events)

    try:
        receiver.await_received("ready")
        links.slow(1)
        receiver.emit_burst()
        links.heal()
        receiver.await_received("healed")
        slow = arrived()
        assert slow < BURST
        receiver.emit_burst()
        await_true(lambda: arrived() - slow == BURST, "all arrive")
    finally:
        receiver.peer.stop()
