"""Events to clients, byte for byte as in the control protocol."""

import struct

from aeron_cluster.driver.clients.client_proxy import ClientProxy
from aeron_cluster.memory.shared.commands import Event
from aeron_cluster.memory.system.address import Address


def sent(call, max_length=4096):
    events = []
    call(ClientProxy(lambda type_id, data: events.append((type_id, bytes(data))), max_length))
    assert len(events) == 1
    return events[0]


def test_an_image_has_its_source_identity_after_an_aligned_log_file():
    type_id, data = sent(lambda proxy: proxy.on_available_image(1, 2, 3, 4, 5, "/a/b.c", "h:1"))
    assert type_id == Event.ON_AVAILABLE_IMAGE
    assert data == struct.pack("<qiiqii", 1, 2, 3, 4, 5, 6) + b"/a/b.c\0\0" + b"\3\0\0\0h:1"


def test_a_publication_label_has_its_session_before_its_stream():
    type_id, data = sent(
        lambda proxy: proxy.on_publication_ready(1, 2, 3, 4, 5, -1, "/log", is_exclusive=False)
    )
    assert type_id == Event.ON_PUBLICATION_READY
    assert data == struct.pack("<qqiiiii", 1, 2, 3, 4, 5, -1, 4) + b"/log"


def test_an_exclusive_publication_has_its_own_event():
    type_id, _ = sent(
        lambda proxy: proxy.on_publication_ready(1, 2, 3, 4, 5, -1, "/log", is_exclusive=True)
    )
    assert type_id == Event.ON_EXCLUSIVE_PUBLICATION_READY


def test_an_error_text_is_cut_to_the_buffer():
    type_id, data = sent(lambda proxy: proxy.on_error(9, 11, "x" * 500), max_length=64)
    assert type_id == Event.ON_ERROR
    assert data == struct.pack("<qii", 9, 11, 48) + b"x" * 48


def test_a_publication_error_carries_the_receivers_address():
    source = Address("10.0.0.1", 4000)
    type_id, data = sent(
        lambda proxy: proxy.on_publication_error(1, -1, 2, 3, 4, 5, source, 13, "no")
    )
    assert type_id == Event.ON_PUBLICATION_ERROR
    assert data[:40] == struct.pack("<qqiiqq", 1, -1, 2, 3, 4, 5)
    assert data[40:44] == struct.pack("<hH", 1, 4000)
    assert data[44:60] == bytes([10, 0, 0, 1]) + bytes(12)
    assert data[60:] == struct.pack("<ii", 13, 2) + b"no"


def test_small_events_contain_only_their_ids():
    assert sent(lambda proxy: proxy.on_operation_success(5)) == (
        Event.ON_OPERATION_SUCCESS,
        struct.pack("<q", 5),
    )
    assert sent(lambda proxy: proxy.on_subscription_ready(5, -1)) == (
        Event.ON_SUBSCRIPTION_READY,
        struct.pack("<qi", 5, -1),
    )
    assert sent(lambda proxy: proxy.on_client_timeout(5)) == (
        Event.ON_CLIENT_TIMEOUT,
        struct.pack("<q", 5),
    )
    assert sent(lambda proxy: proxy.on_unavailable_counter(5, 6)) == (
        Event.ON_UNAVAILABLE_COUNTER,
        struct.pack("<qi", 5, 6),
    )
    assert sent(lambda proxy: proxy.on_unavailable_image(5, 6, 7, "aeron:ipc")) == (
        Event.ON_UNAVAILABLE_IMAGE,
        struct.pack("<qqii", 5, 6, 7, 9) + b"aeron:ipc",
    )
