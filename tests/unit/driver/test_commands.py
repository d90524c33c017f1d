"""Client commands: every layout is read, and hostile content is rejected."""

import struct

import pytest

from aeron_cluster.driver.clients import commands
from aeron_cluster.driver.clients.commands import CommandError, MalformedCommandError, decode
from aeron_cluster.memory.shared.commands import Command, ErrorCode

CLIENT, CORRELATION = 7, 42
IDS = struct.pack("<qq", CLIENT, CORRELATION)


def text(value: str) -> bytes:
    return struct.pack("<i", len(value)) + value.encode()


LAYOUTS = [
    (
        Command.ADD_PUBLICATION,
        IDS + struct.pack("<i", 1001) + text("aeron:ipc"),
        commands.AddPublication(CLIENT, CORRELATION, 1001, "aeron:ipc", is_exclusive=False),
    ),
    (
        Command.ADD_EXCLUSIVE_PUBLICATION,
        IDS + struct.pack("<i", -5) + text("aeron:ipc"),
        commands.AddPublication(CLIENT, CORRELATION, -5, "aeron:ipc", is_exclusive=True),
    ),
    (
        Command.REMOVE_PUBLICATION,
        IDS + struct.pack("<qq", 9, 1),
        commands.RemovePublication(CLIENT, CORRELATION, 9, revoke=True),
    ),
    (
        Command.REMOVE_PUBLICATION,
        IDS + struct.pack("<q", 9),
        commands.RemovePublication(CLIENT, CORRELATION, 9, revoke=False),
    ),
    (
        Command.ADD_SUBSCRIPTION,
        IDS + struct.pack("<qi", -1, 1001) + text("aeron:udp?endpoint=localhost:1"),
        commands.AddSubscription(CLIENT, CORRELATION, 1001, "aeron:udp?endpoint=localhost:1"),
    ),
    (
        Command.REMOVE_SUBSCRIPTION,
        IDS + struct.pack("<q", 3),
        commands.RemoveSubscription(CLIENT, CORRELATION, 3),
    ),
    (Command.CLIENT_KEEPALIVE, IDS, commands.ClientKeepalive(CLIENT, CORRELATION)),
    (Command.CLIENT_CLOSE, IDS, commands.ClientClose(CLIENT, CORRELATION)),
    (
        Command.ADD_DESTINATION,
        IDS + struct.pack("<q", 3) + text("aeron:udp?endpoint=a:1"),
        commands.AddDestination(CLIENT, CORRELATION, 3, "aeron:udp?endpoint=a:1"),
    ),
    (
        Command.REMOVE_DESTINATION,
        IDS + struct.pack("<q", 3) + text("aeron:udp?endpoint=a:1"),
        commands.RemoveDestination(CLIENT, CORRELATION, 3, "aeron:udp?endpoint=a:1"),
    ),
    (
        Command.ADD_RCV_DESTINATION,
        IDS + struct.pack("<q", 3) + text("aeron:ipc"),
        commands.AddReceiveDestination(CLIENT, CORRELATION, 3, "aeron:ipc"),
    ),
    (
        Command.REMOVE_RCV_DESTINATION,
        IDS + struct.pack("<q", 3) + text("aeron:ipc"),
        commands.RemoveReceiveDestination(CLIENT, CORRELATION, 3, "aeron:ipc"),
    ),
    (
        Command.REMOVE_DESTINATION_BY_ID,
        IDS + struct.pack("<qq", 3, 4),
        commands.RemoveDestinationById(CLIENT, CORRELATION, 3, 4),
    ),
    (
        # The label begins at the next multiple of four after a key of five bytes.
        Command.ADD_COUNTER,
        IDS + struct.pack("<ii", 1100, 5) + b"abcde\0\0\0" + text("label"),
        commands.AddCounter(CLIENT, CORRELATION, 1100, b"abcde", b"label"),
    ),
    (
        Command.ADD_STATIC_COUNTER,
        IDS + struct.pack("<qii", 77, 1100, 5) + b"abcde\0\0\0" + text("label"),
        commands.AddStaticCounter(CLIENT, CORRELATION, 77, 1100, b"abcde", b"label"),
    ),
    (
        Command.REMOVE_COUNTER,
        IDS + struct.pack("<q", 3),
        commands.RemoveCounter(CLIENT, CORRELATION, 3),
    ),
    (
        Command.TERMINATE_DRIVER,
        IDS + text("token"),
        commands.TerminateDriver(CLIENT, CORRELATION, b"token"),
    ),
    (
        Command.REJECT_IMAGE,
        IDS + struct.pack("<qq", 3, 64) + text("no"),
        commands.RejectImage(CLIENT, CORRELATION, 3, 64, "no"),
    ),
    (
        Command.GET_NEXT_AVAILABLE_SESSION_ID,
        IDS + struct.pack("<i", 8),
        commands.GetNextAvailableSessionId(CLIENT, CORRELATION, 8),
    ),
]
NAMES = [f"{layout[0].name}-{len(layout[1])}" for layout in LAYOUTS]


@pytest.mark.parametrize(("type_id", "data", "expected"), LAYOUTS, ids=NAMES)
def test_reads_each_command(type_id, data, expected):
    assert decode(type_id, data) == expected


@pytest.mark.parametrize(("type_id", "data"), [each[:2] for each in LAYOUTS], ids=NAMES)
def test_rejects_each_truncated_command(type_id, data):
    for length in range(len(data)):
        if type_id == Command.REMOVE_PUBLICATION and length == 24:
            continue  # the form without flags
        with pytest.raises(MalformedCommandError) as raised:
            decode(type_id, data[:length])
        assert raised.value.code == ErrorCode.ERROR_MALFORMED_COMMAND
        assert raised.value.correlation_id == (CORRELATION if length >= 16 else 0)


@pytest.mark.parametrize("length", [-1, -(2**31), 10, 2**31 - 1])
def test_rejects_a_channel_with_an_invalid_length(length):
    data = IDS + struct.pack("<ii", 1001, length) + b"aeron:ipc"
    with pytest.raises(MalformedCommandError, match=r"AddPublication\.channel"):
        decode(Command.ADD_PUBLICATION, data)


def test_rejects_a_channel_in_other_than_ascii():
    data = IDS + struct.pack("<ii", 1001, 3) + b"a\xffb"
    with pytest.raises(MalformedCommandError, match="expected ASCII, found byte 0xff"):
        decode(Command.ADD_PUBLICATION, data)


@pytest.mark.parametrize("type_id", [0, -1, 0x13, 0x0F01, 2**31 - 1])
def test_rejects_an_unknown_command(type_id):
    with pytest.raises(CommandError) as raised:
        decode(type_id, IDS)
    assert raised.value.code == ErrorCode.ERROR_UNKNOWN_COMMAND_TYPE_ID


def test_rejects_a_reason_longer_than_a_frame():
    data = IDS + struct.pack("<qq", 3, 64) + text("x" * 1024)
    with pytest.raises(CommandError, match="at most 1023") as raised:
        decode(Command.REJECT_IMAGE, data)
    assert raised.value.code == ErrorCode.ERROR_GENERIC
