"""A short mixed run without the C client, and what its checks detect.

The seed is the run's (``AERON_CLUSTER_SEED``); ``python -m tests.mixed --seed N`` repeats its
events.
"""

import pytest

from aeron_cluster.client import Aeron
from aeron_cluster.driver.media_driver import MediaDriver
from aeron_cluster.errors import InvariantError
from tests.conftest import SEED
from tests.interop.conftest import BUILD, unavailable
from tests.interop.java_peer import JavaUnavailableError, fetch_jar
from tests.mixed import clients, schedule
from tests.mixed.channels import PORT_COUNT, Channel
from tests.mixed.driver import left_over
from tests.mixed.ledger import Ledger
from tests.mixed.messages import Checks, encode
from tests.mixed.mixed import Mixed, Settings
from tests.waiting import await_true

DURATION_S = 10.0
GAP_S = (0.2, 1.2)
JOIN_POSITION = 4096
# By the start of a fault's text: the messages of an image that show it.
FAULTS = {
    "lost": [encode(1, 0, -1), encode(1, 2, 0)],
    "repeated or reordered": [encode(1, 0, -1), encode(1, 1, 0), encode(1, 0, -1)],
    "checksum": [encode(1, 0, -1)[:-1] + b"\xff"],
    "length": [encode(1, 0, -1) + b"\x00"],
    "lost after the join position": [encode(1, 5, JOIN_POSITION)],
}
RELIABLE = Channel("udp", 1, ("aeron:udp",), (("aeron:udp",),))
UNRELIABLE = Channel("unreliable", 1, ("aeron:udp",), (("aeron:udp",),), False)


@pytest.fixture(scope="module")
def programs():
    """Return the built programs, without the C client."""
    try:
        return clients.build(fetch_jar(BUILD).parent)
    except JavaUnavailableError as error:
        unavailable(str(error))


@pytest.mark.timeout(600)
def test_nothing_is_lost_or_left_while_clients_of_all_kinds_are_killed(
    programs, tmp_path, free_port
):
    settings = Settings(
        SEED, DURATION_S, tmp_path / "mixed", free_port(PORT_COUNT), programs, GAP_S
    )
    reported = []
    result = Mixed(settings, reported.append).run()
    print("\n".join(reported), result, sep="\n")  # noqa: T201 - shown with a failure
    assert {kind for kind, count in result.sent.items() if count} == {"java", "native", "python"}
    assert set(result.received) == set(result.sent)
    # Datagrams were lost: unreliable streams show it, the others recovered.
    assert result.gap_count > 0
    assert result.system["NAKs"] > 0
    assert result.system["retransmits"] > 0


def is_of(number):
    return lambda event: event["name"] == number


def publish(aeron, stream_id, messages):
    """Publish from the join position on."""
    initial = f"init-term-id=7|term-id=7|term-offset={JOIN_POSITION}|term-length=64k"
    publication = aeron.add_exclusive_publication(f"aeron:ipc?{initial}", stream_id)
    for message in messages:
        await_true(lambda sent=message: publication.offer(sent), "an offer")


def test_every_client_reports_each_fault(programs, shm_dir, tmp_path):
    with (
        MediaDriver.launch(aeron_dir=shm_dir / "driver", threading_mode="SHARED") as driver,
        Aeron.connect(aeron_dir=driver.aeron_dir) as aeron,
    ):
        started = [
            clients.start(programs, kind, driver.aeron_dir, tmp_path / kind)
            for kind in programs.kinds
        ]
        try:
            for peer in started:
                for number in range(len(FAULTS)):
                    peer.emit(f"sub {number} aeron:ipc {number} 1")
                peer.await_event("added", where=lambda each: each["name"] == len(FAULTS) - 1)
            for number, (text, messages) in enumerate(FAULTS.items()):
                publish(aeron, number, messages)
                for peer in started:
                    found = peer.await_event("fault", where=is_of(number))
                    assert found["text"].startswith(f"{text}: "), (peer.program, found)
        finally:
            for peer in started:
                peer.close()


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_of_an_image_is_detected(text):
    checks = Checks(is_reliable=True)
    for message in FAULTS[text]:
        checks.on_message(3, JOIN_POSITION, message)
    assert checks.fault.startswith(f"{text}: ")


def test_an_image_may_begin_with_a_later_message():
    checks = Checks(is_reliable=True)
    checks.on_message(3, JOIN_POSITION, encode(1, 5, JOIN_POSITION - 32))
    checks.on_message(3, JOIN_POSITION, encode(1, 6, JOIN_POSITION + 32))
    assert checks.fault == ""
    assert checks.on_image_end(3) == {1: 7}


def test_a_gap_of_an_unreliable_stream_is_counted():
    checks = Checks(is_reliable=False)
    for message in FAULTS["lost"]:
        checks.on_message(3, JOIN_POSITION, message)
    assert (checks.fault, checks.gap_count) == ("", 1)


def ledger_of(channel, sent, ends, *, is_closed):
    ledger = Ledger()
    ledger.open(1, channel, "java")
    ledger.on_sent(1, sent, is_final=is_closed)
    for end in ends:
        ledger.on_image_end("c", {1: end})
    return ledger


@pytest.mark.parametrize(
    ("channel", "sent", "ends", "is_closed", "broken"),
    [
        (RELIABLE, 7, [7, 7], True, None),
        (RELIABLE, 7, [7, 6], True, "images end with the last message"),
        (RELIABLE, 7, [9, 9], False, None),
        (RELIABLE, 7, [9, 8], False, "images of a killed publisher end alike"),
        (RELIABLE, 7, [6, 6], False, "images of a killed publisher end alike"),
        (UNRELIABLE, 7, [7, 5], True, None),
        (UNRELIABLE, 7, [8], True, "images contain what was sent"),
    ],
)
def test_an_incomplete_image_is_detected(channel, sent, ends, is_closed, broken):
    ledger = ledger_of(channel, sent, ends, is_closed=is_closed)
    if broken is None:
        ledger.check()
        return
    with pytest.raises(InvariantError, match=broken):
        ledger.check()


def test_what_a_driver_still_holds_is_detected():
    before = {"counters": ["Bytes sent", "rcv-hwm: 1"], "log files": [], "descriptors": 5}
    assert left_over(before, {**before, "counters": ["Bytes sent"], "descriptors": 4}) == {}
    now = {"counters": ["Bytes sent", "rcv-hwm: 1", "rcv-hwm: 1"], "log files": ["1.logbuffer"]}
    assert left_over(before, {**now, "descriptors": 7}) == {
        "counters": ["rcv-hwm: 1"],
        "log files": ["1.logbuffer"],
        "descriptors": 2,
    }


def test_a_seed_determines_the_events():
    events = schedule.draw(7, 600.0)
    assert events == schedule.draw(7, 600.0)
    assert {each.kind for each in events} == {"kill", "close", "pause", "add", "remove"}
