"""A log as a list of frames: slow, simple, and independent of the fast one."""

from dataclasses import dataclass, field

HEADER = 32
NOT_CONNECTED, BACK_PRESSURED, ADMIN_ACTION, MAX_POSITION_EXCEEDED = -1, -2, -3, -5
PENDING, DATA, PAD = "pending", "data", "pad"


def aligned(length):
    return (length + 31) // 32 * 32


@dataclass
class Frame:
    start: int
    length: int  # header and payload, not aligned
    kind: str
    payload: bytes = b""
    flags: int = 0xC0

    @property
    def end(self):
        return self.start + aligned(self.length)


@dataclass
class ModelLog:
    """One publisher and one subscriber."""

    term_length: int
    mtu_length: int
    position: int
    limit: int = 2**63 - 1
    is_connected: bool = False
    subscriber: int = 0
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self):
        self.subscriber = self.position
        self.begin = self.position // self.term_length * self.term_length
        self.overshoot = 0  # how far a shared tail ran past the end of the stream

    @property
    def end(self):
        return self.begin + self.term_length

    @property
    def max_position(self):
        return self.term_length * 2**31

    @property
    def max_payload(self):
        return self.mtu_length - HEADER

    def pieces(self, message):
        """Split a message into the payloads of its frames."""
        if len(message) <= self.max_payload:
            return [message]
        return [message[i : i + self.max_payload] for i in range(0, len(message), self.max_payload)]

    def claim(self, needed, length):
        """Return the start of a range, or a status."""
        if self.position + self.overshoot >= self.limit:
            if self.position + self.overshoot + aligned(length + HEADER) >= self.max_position:
                return MAX_POSITION_EXCEEDED
            return BACK_PRESSURED if self.is_connected else NOT_CONNECTED
        if self.position + needed > self.end:
            if self.position < self.end:
                self.frames.append(Frame(self.position, self.end - self.position, PAD))
            self.position = self.end
            if self.end >= self.max_position:
                return MAX_POSITION_EXCEEDED
            self.begin = self.end
            return ADMIN_ACTION
        start = self.position
        self.position += needed
        return start

    def offer(self, message):
        pieces = self.pieces(message)
        start = self.claim(sum(aligned(len(p) + HEADER) for p in pieces), len(message))
        if start < 0:
            return start
        for i, piece in enumerate(pieces):
            flags = (0x80 if i == 0 else 0) | (0x40 if i == len(pieces) - 1 else 0)
            self.frames.append(Frame(start, len(piece) + HEADER, DATA, piece, flags))
            start = self.frames[-1].end
        return self.position

    def try_claim(self, length):
        start = self.claim(aligned(length + HEADER), length)
        if start < 0:
            return start
        self.frames.append(Frame(start, length + HEADER, PENDING))
        return self.frames[-1]

    def pad(self, length):
        start = self.claim(aligned(length + HEADER), length)
        if start < 0:
            return start
        self.frames.append(Frame(start, length + HEADER, PAD))
        return self.position

    def readable(self, position):
        """Return the frames that may be polled from a position: committed, within one term."""
        term_end = (position // self.term_length + 1) * self.term_length
        for frame in self.frames:
            if frame.start >= position and frame.start < term_end:
                if frame.kind == PENDING:
                    return
                yield frame

    def poll(self, fragment_limit, limit_position=2**63 - 1):
        delivered = []
        for frame in self.readable(self.subscriber):
            if len(delivered) >= fragment_limit or frame.start >= limit_position:
                break
            if frame.kind == DATA:
                delivered.append(frame)
            self.subscriber = frame.end
        return delivered

    def block(self, limit):
        """Poll a run of frames; padding is returned separately, at any length."""
        start = self.subscriber
        for frame in self.readable(start):
            if frame.kind == PAD:
                if frame.start == start:
                    self.subscriber = frame.end
                break
            if frame.end - start > limit:
                break
            self.subscriber = frame.end
        return start, self.subscriber
