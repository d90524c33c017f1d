"""Well-formed datagrams from unknown hosts: a correct stream of the same driver continues.

Live and invented sessions, setups, data, heartbeats, status messages, NAKs, error frames and round
trip times in any order, as any sender that knows a session could send them. Only forgeries that
nothing but authentication could detect are excluded: an end of the correct stream, or its data sent
before the publisher's.
"""

import random
import struct

import pytest

from aeron_cluster.client.aeron import Aeron
from aeron_cluster.errors import AeronClusterError
from aeron_cluster.memory.shared.counters_layout import SystemCounter
from aeron_cluster.memory.system.seams import Seams, SeededRandom, SystemFiles
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from tests.unit.driver.driver_rig import MS, DriverRig, S
from tests.unit.driver.harness import (
    ERROR,
    HEADER,
    NAK,
    RESPONSE_SETUP,
    RTT,
    SETUP,
    STATUS,
    align,
)

PORT = 4000
CHANNEL = f"aeron:udp?endpoint=127.0.0.1:{PORT}"
STREAM_ID = 10
TERM_LENGTH = 64 << 10
SETUP_TYPE, DATA_TYPE, PAD_TYPE, END = 5, 1, 0, 0x20
STEPS = 600


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


class Session:
    """An attacker's knowledge of a stream, real or invented."""

    def __init__(self, rng, session_id, initial_term_id, *, is_honest=False):
        self.rng = rng
        self.session_id = session_id
        self.initial_term_id = initial_term_id
        self.is_honest = is_honest
        self.position = 0  # the read position of its image
        self.term_length = TERM_LENGTH
        self.image = None
        self.image_count = 0

    def place(self, position):
        return (
            wrapped(self.initial_term_id + position // self.term_length),
            position % self.term_length,
        )

    def some_position(self):
        """Return a writable position; in the correct stream only in the sent part."""
        rng = self.rng
        if self.is_honest:
            begin = max(self.position - 4096, 0)
            return rng.randrange(begin, self.position, 32) if self.position else None
        return max(self.position + rng.choice([0, 0, 0, 32, -32, 64, 96, 192, 224, 960, 4096]), 0)

    def frame(self, position, length, kind=DATA_TYPE):
        term_id, offset = self.place(position)
        # Also payloads that look like a frame header.
        payload = struct.pack("<i", self.rng.choice([7, 64, 1 << 30, -1])) * (length // 4)
        header = HEADER.pack(length, 0, 0xC0, kind, offset, self.session_id, STREAM_ID, term_id, 0)
        return header + payload[: length - 32] if kind == DATA_TYPE else header

    def setup(self):
        rng = self.rng
        term_id, offset = self.place(self.position)
        values = [40, 0, 0, SETUP_TYPE, offset, self.session_id, STREAM_ID,
                  self.initial_term_id, term_id, self.term_length, 1408, 0]  # fmt: skip
        if rng.randrange(3) == 0:
            at = rng.choice([2, 4, 7, 8, 9, 10, 11])
            values[at] = rng.choice([0, 1, 32, 64, 128 << 10, 1 << 30, 2048, 255])
            values[2] &= 255
        return SETUP.pack(*values)

    def data(self):
        rng = self.rng
        position = self.some_position()
        if position is None:
            return self.setup()
        if rng.randrange(8) == 0:  # of a much earlier or a future term
            position += rng.choice([-3, -1, 2, 3, 1000]) * self.term_length
            if position < 0 or self.is_honest:
                return self.stray()
        frames = b""
        for _ in range(rng.randint(1, 3)):
            room = self.term_length - position % self.term_length
            limit = min(room, self.position - position) if self.is_honest else room
            length = min(rng.choice([32, 64, 96, 224, 1000]), limit)
            if length < 32:
                break
            if not self.is_honest and rng.randrange(10) == 0:
                frames += self.frame(position, min(room, rng.choice([32, 4096, room])), PAD_TYPE)
                break
            frames += self.frame(position, length).ljust(align(length), b"\0")
            position += align(length)
        return frames or self.setup()

    def stray(self):
        """Return data beyond any window, of any term."""
        term_id = wrapped(self.initial_term_id + self.rng.choice([-1, 2, 500, 2**30, 2**31 - 1]))
        offset = self.rng.randrange(0, self.term_length, 32)
        if self.is_honest and term_id == self.place(self.position)[0]:
            term_id = wrapped(term_id + 3)
        return HEADER.pack(
            64, 0, 0xC0, DATA_TYPE, offset, self.session_id, STREAM_ID, term_id, 0
        ) + bytes(32)

    def heartbeat(self):
        position = max(self.position + self.rng.choice([0, 64, -64, 4096, 1 << 20]), 0)
        term_id, offset = self.place(position)
        flags = 0xC0
        if not self.is_honest:
            flags |= self.rng.choice([0, 0, 0, END, END | 0x10])
        return HEADER.pack(0, 0, flags, DATA_TYPE, offset, self.session_id, STREAM_ID, term_id, 0)

    def rtt(self):
        return RTT.pack(
            40, 0, self.rng.choice([0, 0x80]), 6, self.session_id, STREAM_ID,
            self.rng.choice([0, -1, 2**62]), self.rng.choice([0, -(2**62)]), 0,
        )  # fmt: skip

    # ---- to the publisher's port ----

    def status(self):
        rng = self.rng
        term_id, offset = self.place(max(self.position + rng.choice([0, -64, 64, 1 << 16]), 0))
        window = rng.choice([0, -1, 4096, 1 << 17, 2**31 - 1])
        flags = rng.choice([0, 0, 0x80, 0x40])
        receiver = rng.choice([rng.randrange(2**63), 7])
        return STATUS.pack(
            36, 0, flags, 3, self.session_id, STREAM_ID, term_id, offset, window, receiver
        )

    def nak(self):
        rng = self.rng
        position = max(self.position + rng.choice([0, -64, -1024, 1 << 17, -33, 64]), 0)
        term_id, offset = self.place(position)
        length = rng.choice([0, 1, 64, 4096, 2**31 - 1, -1])
        return NAK.pack(28, 0, 0, 2, self.session_id, STREAM_ID, term_id, offset, length)

    def error(self):
        text = self.rng.choice([b"", b"no", b"x" * 1023])
        length = self.rng.choice([len(text), 2**31 - 1, -1])
        return (
            ERROR.pack(40 + len(text), 0, 0, 4, self.session_id, STREAM_ID, 7, 0, 13, length) + text
        )

    def response_setup(self):
        return RESPONSE_SETUP.pack(20, 0, 0, 11, self.session_id, STREAM_ID, self.rng.randrange(9))


class Attack:
    """A driver, a client with a correct stream, and attackers around them."""

    def __init__(self, directory, seed):
        self.rng = rng = random.Random(seed)
        self.publisher = None
        self.rig = DriverRig(
            directory,
            network=MemoryNetwork(self.passes),
            seed=seed,
            driver_stream_session_limit=rng.choice([3, 2**31 - 1]),
        )
        rig = self.rig
        self.errors = []
        self.aeron = Aeron.connect(
            seams=Seams(
                clock=rig.clock,
                network=rig.network,
                files=SystemFiles(),
                random=SeededRandom(seed + 1),
            ),
            aeron_dir=directory,
            use_conductor_invoker=True,
            driver_invoker=self.run_driver,
            error_handler=self.errors.append,
        )
        self.publication = self.aeron.add_exclusive_publication(
            f"{CHANNEL}|term-length=64k", STREAM_ID
        )
        self.subscription = self.aeron.add_subscription(CHANNEL, STREAM_ID)
        self.honest = Session(
            rng, self.publication.session_id, self.publication.initial_term_id, is_honest=True
        )
        self.forged = [Session(rng, rng.randrange(1, 2**31), rng.randrange(-9, 9))
                       for _ in range(4)]  # fmt: skip
        self.received = []
        self.sent = 0
        self.fragment_count = 0

    def passes(self, source, target, data):
        if target.port == PORT and len(data) == 40 and data[6] == SETUP_TYPE:
            self.publisher = source
        return [data]

    def run_driver(self):
        self.rig.clock.advance(MS)
        self.rig.invoker.invoke()

    def run(self, count=1):
        for _ in range(count):
            self.run_driver()
            self.aeron.conductor_agent_invoker.invoke()
            self.subscription.poll(self.on_fragment, 20)  # raises nothing, for any sent data
        for session in (self.honest, *self.forged):
            image = self.subscription.image_by_session_id(session.session_id)
            if image is not None:
                session.position = image.position
                session.image_count += image is not session.image
                session.image = image

    def on_fragment(self, message, header):
        self.fragment_count += 1
        if header.session_id == self.publication.session_id:
            self.received.append(int.from_bytes(bytes(message[:4]), "little"))

    def offer(self):
        payload = self.sent.to_bytes(4, "little") * self.rng.choice([1, 8, 50, 300])
        if self.publication.offer(payload):
            self.sent += 1

    def attack(self):
        rng = self.rng
        session = rng.choice([self.honest, *self.forged])
        if rng.randrange(3):
            make = rng.choice([
                session.setup, session.data, session.data, session.data, session.stray,
                session.heartbeat, session.rtt, session.status,
            ])  # fmt: skip
            source = ("127.0.0.1", rng.choice([5000, 5001, rng.randrange(1024, 65536)]))
            self.rig.network.deliver(source, ("127.0.0.1", PORT), make())
        elif self.publisher is not None:
            make = rng.choice([
                session.status, session.nak, session.error, session.rtt, session.response_setup,
            ])  # fmt: skip
            self.rig.network.deliver(("127.0.0.1", PORT), self.publisher, make())

    def close(self):
        self.aeron.close()
        self.rig.close()


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.sampled(4)
def test_honest_stream_continues_during_attacks(shm_dir, seed, caplog):
    attack = Attack(shm_dir / "driver", seed)
    try:
        attack.run(300)
        assert attack.publication.is_connected
        for _ in range(STEPS):
            for _ in range(attack.rng.randrange(8)):
                attack.attack()
            if attack.rng.randrange(3) == 0:
                attack.offer()
            attack.run(attack.rng.choice([1, 1, 1, 5]))
        for _ in range(60 * S // (100 * MS)):
            if len(attack.received) == attack.sent:
                break
            attack.run(100)
        assert attack.received == list(range(attack.sent))
        assert attack.sent > STEPS // 20
        # The attacks had an effect: attackers had images, and fragments of them were read.
        assert sum(session.image_count for session in attack.forged) > 0
        assert attack.fragment_count > attack.sent
        counters = attack.rig.counters
        assert counters.value(SystemCounter.SYSTEM_INVALID_PACKETS) > 0
        assert all(isinstance(error, AeronClusterError) for error in attack.errors)
        entries = attack.rig.cnc.error_log().entries()
        assert not [entry.text for entry in entries if "Traceback" in entry.text]
        assert len(caplog.records) < 40
    finally:
        attack.close()


def test_stream_forged_ahead_of_its_publisher_gets_a_new_image(shm_dir):
    """Forged data cannot be distinguished from real data, but its effect ends."""
    attack = Attack(shm_dir / "driver", 1)
    try:
        attack.run(300)
        attack.offer()
        attack.run(10)
        assert attack.received == [0]
        (first,) = attack.subscription.images
        forged = attack.honest.frame(attack.honest.position + 64, 1000)
        attack.rig.network.deliver(("127.0.0.1", 5000), ("127.0.0.1", PORT), forged)
        attack.run(10)

        def goes_on():
            attack.offer()
            attack.run(100)
            return attack.received[-1] > attack.sent - 3 and first.is_closed

        assert any(goes_on() for _ in range(60 * S // (100 * MS)))
        assert attack.received == sorted(set(attack.received))
        assert attack.errors == []
    finally:
        attack.close()
