"""The same calls on loopback and simulated sockets give the same results and datagrams."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from aeron_cluster.errors import PlatformError
from aeron_cluster.memory.system.address import Address
from aeron_cluster.memory.system.seams import UdpNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualTime
from aeron_cluster.simulator.world.wire import Wire

WHICH = st.integers(0, 9)
GROUP = "239.255.13.9"


class SameNetwork(RuleBasedStateMachine):
    """Ports differ between both sides, so they are compared by their owners."""

    @initialize()
    def begin(self):
        self.sides = [UdpNetwork(), Wire(VirtualTime()).add_host("10.0.0.1")]
        self.sockets = []
        self.addresses = [{}, {}]  # from address to socket number
        self.opened = 0

    def same(self, call):
        answers = []
        for side in range(2):
            try:
                answers.append(call(side))
            except PlatformError as error:
                answers.append((type(error).__name__, error.errno))
        assert answers[0] == answers[1]
        return answers[0]

    def address(self, side, which):
        return self.sockets[which % len(self.sockets)][side].local_address

    def add(self, pair):
        if pair[0] is None:
            return
        for side in range(2):
            self.addresses[side][pair[side].local_address] = self.opened
        self.opened += 1
        self.sockets.append(pair)
        if len(self.sockets) > 5:
            self.close(0)

    def open_both(self, options):
        pair = [None, None]

        def call(side):
            pair[side] = self.sides[side].open(**options(side))

        self.same(call)
        self.add(pair)

    @rule(wildcard=st.booleans(), reuse=st.booleans())
    def open(self, wildcard, reuse):
        host = "0.0.0.0" if wildcard else "127.0.0.1"
        self.open_both(lambda _: {"bind": Address(host, 0), "reuse_address": reuse})

    @rule(which=WHICH, reuse=st.booleans())
    def open_on_a_port_that_is_taken(self, which, reuse):
        # Which of two sockets sharing an address gets a datagram depends on the system.
        if self.sockets and not reuse:
            self.open_both(lambda side: {"bind": self.address(side, which)})

    @rule(which=WHICH)
    def open_connected(self, which):
        if self.sockets:
            self.open_both(
                lambda side: {
                    "bind": Address("127.0.0.1", 0),
                    "connect": Address("127.0.0.1", self.address(side, which).port),
                }
            )

    @rule(host=st.sampled_from(["203.0.113.7", "10.9.9.9"]))
    def open_on_a_foreign_address(self, host):
        self.open_both(lambda _: {"bind": Address(host, 0)})

    @rule(which=WHICH)
    def close(self, which):
        if self.sockets:
            for socket in self.sockets.pop(which % len(self.sockets)):
                socket.close()

    @rule(which=WHICH, to=WHICH)
    def connect(self, which, to):
        if self.sockets:
            pair = self.sockets[which % len(self.sockets)]
            before = [socket.local_address for socket in pair]
            self.same(
                lambda side: pair[side].connect(Address("127.0.0.1", self.address(side, to).port))
            )
            for side in range(2):
                number = self.addresses[side][before[side]]
                self.addresses[side][pair[side].local_address] = number

    @rule(which=WHICH, to=WHICH, data=st.binary(max_size=100))
    def send(self, which, to, data):
        if self.sockets:
            pair = self.sockets[which % len(self.sockets)]
            self.same(
                lambda side: pair[side].send(
                    data, Address("127.0.0.1", self.address(side, to).port)
                )
            )

    @rule(which=WHICH, data=st.binary(max_size=100))
    def send_connected(self, which, data):
        if self.sockets:
            pair = self.sockets[which % len(self.sockets)]
            answer = self.same(lambda side: _sent(pair[side], data))
            assert answer is not None

    @rule(which=WHICH, capacity=st.sampled_from([0, 5, 65536]))
    def receive(self, which, capacity):
        if not self.sockets:
            return
        pair = self.sockets[which % len(self.sockets)]

        def call(side):
            found = pair[side].receive(capacity)
            if found is None:
                return None
            data, sender, stamp = found
            ports = {each.port: number for each, number in self.addresses[side].items()}
            return data, ports[sender.port], stamp

        self.same(call)

    def teardown(self):
        # All sent and unreceived datagrams are the same too.
        for index in range(len(getattr(self, "sockets", []))):
            for _ in range(3):
                self.receive(index, 65536)
        while getattr(self, "sockets", []):
            self.close(0)


def _sent(socket, data):
    """Send on a connected socket; a real one may report a missing receiver one call later."""
    sent = socket.send(data)
    return sent or socket.send(data)


TestSameNetwork = SameNetwork.TestCase
TestSameNetwork.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
