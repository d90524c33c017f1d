"""An image rebuilt from lost, duplicated and reordered packets equals the publisher's log."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.logbuffer.fragment_assembler import FragmentAssembler
from aeron_cluster.logbuffer.local_log import LocalLog

TERM_LENGTH = 65536
BEGINS = [0, 3, 2**31 - 3]


def logs(begin, mtu_length=1408, initial_term_id=2**31 - 2):
    shape = {"mtu_length": mtu_length, "initial_term_id": initial_term_id}
    position = begin * TERM_LENGTH
    return (
        LocalLog("exclusive", position=position, **shape),
        LocalLog("image", position=position, **shape),
        position,
    )


def datagram(log, position, length):
    at = position % (3 * TERM_LENGTH)
    return bytes(memoryview(log)[at : at + length])


def datagrams(log, position, mtu_length):
    """Split the log into datagrams like a sender, as (position, bytes)."""
    packets = []
    while position < log.producer_position:
        available, padding = log.scan_for_availability(position, mtu_length)
        if available <= 0:
            break
        packets.append((position, datagram(log, position, available)))
        position += available + padding
    return packets


MESSAGES = st.lists(st.one_of(st.integers(0, 100), st.integers(0, 8192)), min_size=1, max_size=60)


def offer_all(log, lengths):
    offered = []
    for n, length in enumerate(lengths):
        message = bytes([n % 256]) * length
        while (position := log.offer(message)) == -3:
            pass
        assert position > 0
        offered.append((message, position))
        if log.producer_position % (3 * TERM_LENGTH) > 2 * TERM_LENGTH:
            break
    return offered


@given(st.sampled_from(BEGINS), MESSAGES, st.data())
def test_rebuilds_from_any_order_with_losses_and_duplicates(begin, lengths, data):
    publisher, image, start = logs(begin)
    offered = offer_all(publisher, lengths)
    packets = datagrams(publisher, start, 1408)
    arrived = data.draw(st.lists(st.sampled_from(packets), max_size=2 * len(packets)))
    first = set()
    hwm = rebuilt = start
    for position, packet in arrived:
        if position > rebuilt + TERM_LENGTH:
            continue  # past any window
        assert image.insert(packet) == (position not in first)
        first.add(position)
        hwm = max(hwm, position + len(packet))
        while True:
            before = rebuilt
            rebuilt, gap = image.scan_loss(rebuilt, hwm)
            if gap is not None or rebuilt == before:
                break
    # The missing parts are requested gap by gap, like the receiver's NAKs.
    end = publisher.producer_position
    scans = 0
    while rebuilt < end:
        scans += 1
        assert scans < 10_000
        before = rebuilt
        rebuilt, gap = image.scan_loss(rebuilt, end)
        if gap is not None:
            term_id, offset, length = gap
            assert length > 0
            assert offset == rebuilt % TERM_LENGTH
            expected = (2**31 - 2 + rebuilt // TERM_LENGTH) % 2**32
            assert term_id % 2**32 == expected
            gap_end = rebuilt + length
            position = rebuilt
            while position < gap_end:
                available, padding = publisher.scan_for_availability(position, 1408)
                image.insert(datagram(publisher, position, available))
                position += available + padding
        else:
            assert rebuilt > before
    polled = []
    assembler = FragmentAssembler(lambda m, header: polled.append((bytes(m), header.position)))
    while image.poll(assembler, 7):
        pass
    assert polled == offered
    position = start
    while position < end:
        (length,) = struct.unpack_from("<i", memoryview(image), position % (3 * TERM_LENGTH))
        (kind,) = struct.unpack_from("<H", memoryview(image), position % (3 * TERM_LENGTH) + 6)
        size = 32 if kind == 0 else length
        assert datagram(image, position, size) == datagram(publisher, position, size)
        position += (length + 31) // 32 * 32


@given(MESSAGES, st.sets(st.integers(0, 200)))
def test_lost_data_becomes_padding_between_complete_messages(lengths, lost):
    publisher, image, start = logs(0)
    offered = offer_all(publisher, lengths)
    end = publisher.producer_position
    for n, (_, packet) in enumerate(datagrams(publisher, start, 1408)):
        if n not in lost:
            assert image.insert(packet) == 1
    rebuilt = start
    while rebuilt < end:
        rebuilt, gap = image.scan_loss(rebuilt, end)
        if gap is not None:
            assert image.fill_gap(*gap)
            assert not image.fill_gap(*gap)
    polled = []
    assembler = FragmentAssembler(lambda m, header: polled.append((bytes(m), header.position)))
    while image.subscriber_position < end:
        image.poll(assembler, 7)
    assert all(message in offered for message in polled)
    assert [m for m in offered if m in polled] == polled
    if not lost:
        assert polled == offered


# The offsets and lengths of the fields of a data header, then of the complete header.
FIELDS = [(0, 4), (6, 2), (8, 4), (12, 4), (16, 4), (20, 4), (0, 32)]


@given(st.binary(min_size=0, max_size=200), st.integers(0, len(FIELDS)))
def test_any_bytes_are_a_packet_or_rejected(noise, changed_field):
    _, image, _ = logs(0)
    untouched = bytes(memoryview(image))
    header = struct.pack("<iBBHiiiiq", 32 + 64, 0, 0xC0, 1, 64, 1, 1, 2**31 - 2, 0)
    packet = bytearray(header + bytes(64))
    if changed_field < len(FIELDS):
        offset, length = FIELDS[changed_field]
        packet[offset : offset + length] = noise[:length].ljust(length, b"\xff")
    else:
        packet = noise
    status = image.insert(bytes(packet))
    assert status in (-1, 1)
    if status == -1:
        assert bytes(memoryview(image)) == untouched
