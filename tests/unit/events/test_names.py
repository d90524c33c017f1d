import pytest

from aeron_cluster.events.codes import ArchiveEvent, ClusterEvent, ComponentType, DriverEvent
from aeron_cluster.events.names import select_events

DRIVER, ARCHIVE, CLUSTER = ComponentType


def test_nothing_is_selected_without_a_text():
    assert select_events(DRIVER, None).events == set()
    assert select_events(DRIVER, " , ").events == set()


@pytest.mark.parametrize(
    ("component", "events"),
    [(DRIVER, DriverEvent), (ARCHIVE, ArchiveEvent), (CLUSTER, ClusterEvent)],
)
def test_all_selects_every_event(component, events):
    assert select_events(component, "all") == (set(events), ())


def test_admin_selects_all_but_frames():
    found = select_events(DRIVER, "admin").events
    assert found == set(DriverEvent) - {DriverEvent.FRAME_IN, DriverEvent.FRAME_OUT}
    assert select_events(ARCHIVE, "admin").unknown == (("admin", "all"),) or select_events(
        ARCHIVE, "admin"
    ).unknown == (("admin", None),)


def test_names_and_numbers_select_events():
    found = select_events(DRIVER, "FRAME_IN, 40,SEND_NAK_MESSAGE,GENERIC_MESSAGE")
    assert found.events == {
        DriverEvent.FRAME_IN,
        DriverEvent.CMD_IN_CLIENT_CLOSE,
        DriverEvent.NAK_SENT,
        DriverEvent.TEXT_DATA,
    }
    assert select_events(CLUSTER, "3").events == {ClusterEvent.STATE_CHANGE}


def test_a_mask_of_the_c_driver_selects_kinds():
    found = select_events(DRIVER, "0xC").events
    assert found == {DriverEvent.FRAME_IN, DriverEvent.FRAME_OUT}
    assert DriverEvent.CMD_OUT_ERROR in select_events(DRIVER, "0x2").events
    assert select_events(DRIVER, "0xFFFF").events == set(DriverEvent)


def test_an_unknown_name_is_reported_with_the_nearest():
    digits = "9" * 5000
    found = select_events(DRIVER, f"FRAME_INN,frame_out,nonsense,0xzz,9999,{digits},al")
    assert found.events == set()
    assert found.unknown == (
        ("FRAME_INN", "FRAME_IN"),
        ("frame_out", "FRAME_OUT"),
        ("nonsense", None),
        ("0xzz", None),
        ("9999", None),
        (digits, None),
        ("al", "all"),
    )


def test_events_of_extensions_are_known_and_select_nothing():
    assert select_events(DRIVER, "ADD_DYNAMIC_DISSECTOR,DYNAMIC_DISSECTOR_EVENT") == (set(), ())


def test_an_event_includes_the_one_that_upstream_instruments_with_it():
    found = select_events(CLUSTER, "REQUEST_VOTE,APPEND_SESSION_CLOSE").events
    assert {ClusterEvent.VOTE, ClusterEvent.APPEND_SESSION_OPEN} <= found
    assert select_events(CLUSTER, "VOTE").events == {ClusterEvent.VOTE}


def test_disabled_events_are_left_out():
    found = select_events(DRIVER, "all") - select_events(DRIVER, "admin,bogus")
    assert found.events == {DriverEvent.FRAME_IN, DriverEvent.FRAME_OUT}
    assert [name for name, _ in found.unknown] == ["bogus"]
