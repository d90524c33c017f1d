"""For any datagrams, a term equals a simple model, and polls return complete frames."""

import random
import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.logbuffer.local_log import LocalLog

TERM_LENGTH = 65536
INITIAL_TERM_ID = 2**31 - 2  # term ids wrap
HEADER = struct.Struct("<iBBHiiiiq")
DATA, PAD = 1, 0
SLOT = 32


def align(length):
    return (length + 31) // 32 * 32


class Model:
    """Received bytes by position, without wrapping."""

    def __init__(self, start):
        self.contiguous = start
        self.taken = set()  # positions of 32-byte units
        self.memory = {}  # position: 32 bytes
        self.frames = {}  # by position
        self.high_water = start

    def judge(self, position, frame):
        length, kind = frame_length(frame), frame_kind(frame)
        end = position + align(length)
        slots = range(position, end, SLOT)
        if end <= self.contiguous:
            return "again"
        if position < self.contiguous:
            return "rejected"
        if position in self.taken:
            there = self.memory.get(position, bytes(SLOT))
            return "again" if there[:8] == frame[:8] else "rejected"
        assert kind in (DATA, PAD)
        return "rejected" if any(slot in self.taken for slot in slots) else "new"

    def insert(self, position, frames):
        verdicts = []
        at = position
        for frame in frames:
            verdicts.append(self.judge(at, frame))
            at += align(frame_length(frame))
        if "rejected" in verdicts:
            return -1
        at = position
        for frame, verdict in zip(frames, verdicts, strict=True):
            if verdict == "new":
                end = at + align(frame_length(frame))
                self.frames[at] = frame
                self.taken.update(range(at, end, SLOT))
                for n in range(0, len(frame), SLOT):
                    self.memory[at + n] = frame[n : n + SLOT].ljust(SLOT, b"\0")
                self.high_water = max(self.high_water, end)
            at += align(frame_length(frame))
        self.advance()
        return int("new" in verdicts)

    def fill(self, position, length):
        if position < self.contiguous or any(
            slot in self.taken for slot in range(position, position + length, SLOT)
        ):
            return False
        self.insert(position, [make_frame(position, length, PAD, b"")])
        return True

    def skip_to(self, position):
        if position > self.contiguous:
            self.contiguous = position
            self.high_water = max(self.high_water, position)
            self.advance()

    def advance(self):
        while self.contiguous in self.taken:
            self.contiguous += SLOT


def frame_length(frame):
    return struct.unpack_from("<i", frame)[0]


def frame_kind(frame):
    return struct.unpack_from("<H", frame, 6)[0]


def make_frame(position, length, kind, payload):
    term_id = (INITIAL_TERM_ID + position // TERM_LENGTH + 2**31) % 2**32 - 2**31
    header = HEADER.pack(length, 0, 0xC0, kind, position % TERM_LENGTH, 1, 1, term_id, 0)
    return header + payload


def cut(rng, position, limit):
    """Return frames from a position on, as a sender or another program may send them."""
    frames = []
    room = TERM_LENGTH - position % TERM_LENGTH
    for _ in range(rng.randint(1, 4)):
        if room < SLOT or position >= limit:
            break
        if (room <= 512 and rng.randrange(4) == 0) or rng.randrange(40) == 0:
            # To the end of the term, as senders do, or not.
            length = room if rng.randrange(2) else rng.randrange(32, room + 1)
            frames.append(make_frame(position, length, PAD, b""))
            return frames
        payload = rng.randrange(0, min(room - 32, rng.choice([100, 480, 4096])) + 1)
        # Also payloads that look like a frame header.
        word = make_frame(position, rng.choice([64, 96, 7, -1, 1 << 30]), DATA, b"")
        frame = make_frame(position, 32 + payload, DATA, (word * 128)[:payload])
        frames.append(frame.ljust(align(len(frame)), b"\0"))
        position += align(len(frame))
        room -= align(len(frame))
    return frames


class Rig:
    """An image, its model, and their senders."""

    def __init__(self, rng, start):
        self.rng = rng
        self.image = LocalLog("image", position=start, initial_term_id=INITIAL_TERM_ID)
        self.model = Model(start)
        self.status = self.cleaned = start
        self.sent = set()  # (position, payload) of each sent frame
        self.known = []  # datagrams sent before
        self.fraction = rng.choice([0.0, 0.05, 0.5])  # of unrelated datagrams

    @property
    def window_end(self):
        return self.status + TERM_LENGTH // 2

    def choose(self):
        """Return a position and frames: continued, reordered, resent or forged."""
        rng, model = self.rng, self.model
        if rng.random() < self.fraction:
            position = rng.randrange(self.status, self.window_end, SLOT)
            if rng.randrange(2):
                position = min(position, model.contiguous + 1024)
            return position, cut(rng, position, self.window_end)
        match rng.randrange(4):
            case 0 if self.known:
                return rng.choice(self.known[-20:])
            case 1 if self.known:  # with other boundaries
                position, frames = rng.choice(self.known[-20:])
                first = rng.randrange(len(frames))
                position += sum(align(frame_length(each)) for each in frames[:first])
                more = [self.known_frames[at] for at in self.following(position)]
                return position, more or frames[first:]
            case 2:
                position = model.contiguous
            case _:
                position = model.high_water + rng.choice([0, 0, 0, 32, 960])
        return position, cut(rng, position, self.window_end)

    def following(self, position):
        """Return the positions of received frames, consecutive within a term."""
        found = []
        while position in self.known_frames and len(found) < self.rng.randint(1, 6):
            frame = self.known_frames[position]
            found.append(position)
            position += align(frame_length(frame))
            if frame_kind(frame) == PAD or position % TERM_LENGTH == 0:
                break
        return found

    @property
    def known_frames(self):
        return self.model.frames

    def send(self):
        position, frames = self.choose()
        if not frames or not self.status <= position < self.window_end:
            return  # the receiver's window rejects it
        self.known.append((position, frames))
        at = position
        for frame in frames:
            self.sent.add((at, frame[32 : frame_length(frame)]))
            at += align(frame_length(frame))
        assert self.image.insert(b"".join(frames)) == self.model.insert(position, frames)

    def give_up_gap(self):
        begin = self.model.contiguous
        room = TERM_LENGTH - begin % TERM_LENGTH
        length = min(self.rng.randrange(SLOT, 2048, SLOT), room)
        frame = make_frame(begin, length, PAD, b"")
        (term_id,) = struct.unpack_from("<i", frame, 20)
        filled = self.image.fill_gap(term_id, begin % TERM_LENGTH, length)
        assert filled == self.model.fill(begin, length)

    def poll(self):
        got = []
        limit = self.rng.choice([1, 5, 1000])
        while self.image.poll(
            lambda message, header: got.append((header.position, bytes(message))), limit
        ):
            if limit != 1000:
                break
        for end, message in got:
            assert (end - align(32 + len(message)), message) in self.sent
        position = self.image.subscriber_position
        assert position <= self.model.contiguous
        if limit == 1000 and position % TERM_LENGTH:
            assert position == self.model.contiguous

    def report_status(self):
        self.status = self.image.subscriber_position
        limit = self.status - TERM_LENGTH
        while self.cleaned < limit:
            self.cleaned = self.image.clean(self.cleaned, limit)

    def jump(self):
        """Move the subscriber past the received data."""
        ahead = [at for at in self.model.frames if at > self.model.contiguous]
        position = self.rng.choice([*ahead, self.model.high_water])
        self.image.subscriber_position = position
        self.image.skip_to(position)
        self.model.skip_to(position)
        self.report_status()

    def check(self):
        assert self.image.contiguous_position == self.model.contiguous
        assert self.image.high_water_position == self.model.high_water
        expected = bytearray(3 * TERM_LENGTH)
        for position, data in self.model.memory.items():
            if position >= self.cleaned:
                at = position % (3 * TERM_LENGTH)
                expected[at : at + SLOT] = data
        assert bytes(memoryview(self.image)[: 3 * TERM_LENGTH]) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([0, TERM_LENGTH - 96, 3 * TERM_LENGTH - 2048]),
    st.sampled_from([5, 50, 400]),
)
def test_term_matches_the_model_and_polls_see_complete_frames(seed, start, steps):
    rng = random.Random(seed)
    rig = Rig(rng, start)
    for _ in range(steps):
        match rng.randrange(16):
            case 0 | 1 | 2:
                rig.poll()
                rig.report_status()
            case 3:
                rig.give_up_gap()
            case 4 if rng.randrange(8) == 0:
                rig.jump()
            case _:
                rig.send()
    rig.poll()
    rig.check()


def test_overlapping_frames_are_rejected_with_their_datagram():
    image = LocalLog("image", initial_term_id=INITIAL_TERM_ID)
    assert image.insert(make_frame(0, 224, DATA, bytes(192))) == 1
    assert image.insert(make_frame(320, 64, DATA, bytes(32))) == 1
    before = bytes(memoryview(image))
    for position, length in ((192, 64), (256, 96), (320, 96), (224, 128), (288, 128), (320, 32)):
        frame = make_frame(position, length, DATA, bytes(length - 32))
        assert image.insert(frame) == -1, (position, length)
        head = make_frame(position - 32, 32, DATA, b"")
        assert image.insert(head + frame) == -1, (position, length)
    assert bytes(memoryview(image)) == before
    # The same frame again next to a new one, with other datagram boundaries.
    both = make_frame(224, 96, DATA, b"x" * 64) + make_frame(320, 64, DATA, bytes(32))
    assert image.insert(both) == 1
    assert image.insert(both) == 0
    assert image.contiguous_position == image.high_water_position == 384
    seen = []
    while image.poll(lambda message, _: seen.append(bytes(message))):
        pass
    assert seen == [bytes(192), b"x" * 64, bytes(32)]


def test_data_two_terms_ahead_is_rejected():
    image = LocalLog("image", initial_term_id=INITIAL_TERM_ID)
    far = 2 * TERM_LENGTH
    assert image.insert(make_frame(far, 32, DATA, b"")) == -1
    assert image.insert(make_frame(far - 32, 32, DATA, b"")) == 1
    assert image.insert(make_frame(0, 32, DATA, b"")) == 1
    assert image.insert(make_frame(far, 32, DATA, b"")) == 1
