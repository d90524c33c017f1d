"""The lists of recordings that an archive sends over several passes."""

import pytest

from aeron_cluster.archive.control.listing import Listings
from aeron_cluster.archive.storage.catalog import Catalog
from aeron_cluster.errors import OperationError
from aeron_cluster.memory.system.seams import SystemFiles
from tests.unit.archive.recordings_rig import DESCRIPTION


class Session:
    """A control session whose client receives at most `capacity` messages."""

    session_id = 1
    is_done = False

    def __init__(self, capacity=1000):
        self.capacity = capacity
        self.listing = None
        self.sent = []
        self.responses = []

    def try_send(self, message):
        if len(self.sent) == self.capacity:
            return False
        self.sent.append(message)
        return True

    def send_response(self, correlation_id, relevant_id, code):
        self.responses.append((correlation_id, relevant_id, code.name))


@pytest.fixture
def listings(tmp_path):
    catalog = Catalog(SystemFiles(), str(tmp_path))
    for _ in range(70):
        catalog.add(start_position=0, **DESCRIPTION)
    yield Listings(catalog)
    catalog.close()


@pytest.mark.parametrize("count", [1, 63, 64])
def test_a_list_ends_in_the_pass_that_sends_its_last_record(listings, count):
    session = Session()
    listings.list_recordings(session, 1, 0, count, lambda _: True)
    listings.do_work()
    assert len(session.sent) == count
    listings.list_recordings(session, 2, count, 1, lambda _: True)
    listings.do_work()
    assert len(session.sent) == count + 1
    assert session.responses == []


def test_a_list_continues_when_its_client_receives_again(listings):
    session = Session(capacity=10)
    listings.list_recordings(session, 1, 0, 80, lambda _: True)
    listings.do_work()
    listings.do_work()
    assert len(session.sent) == 10
    with pytest.raises(OperationError, match="active listing"):
        listings.list_recordings(session, 2, 0, 1, lambda _: True)
    session.capacity = 1000
    listings.do_work()
    listings.do_work()
    assert len(session.sent) == 70
    assert session.responses == [(1, 70, "RECORDING_UNKNOWN")]
    assert not listings.is_busy


def test_a_list_is_followed_by_the_next_although_its_match_was_scanned_last(listings):
    session = Session()
    listings.list_recordings(session, 1, 0, 1, lambda found: found.recording_id == 63)
    listings.do_work()
    assert len(session.sent) == 1
    listings.list_recordings(session, 2, 0, 1, lambda _: True)
