import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle, NodeToggle, try_toggle


@pytest.fixture
def counter(streams):
    return streams.counter("Cluster control toggle", ControlToggle.NEUTRAL)


def test_the_codes_are_those_of_the_counters():
    # "INACTIVE 0, NEUTRAL 1, SUSPEND 2, RESUME 3, SNAPSHOT 4, SHUTDOWN 5, ABORT 6,
    # STANDBY_SNAPSHOT 7"
    assert [toggle.name for toggle in sorted(ControlToggle)] == [
        "INACTIVE",
        "NEUTRAL",
        "SUSPEND",
        "RESUME",
        "SNAPSHOT",
        "SHUTDOWN",
        "ABORT",
        "STANDBY_SNAPSHOT",
    ]
    assert list(map(int, ControlToggle)) == list(range(8))
    # "INACTIVE 0, NEUTRAL 1, REPLICATE_STANDBY_SNAPSHOT 2, VALIDATE_RECORDING_LOG 3"
    assert NodeToggle.REPLICATE_STANDBY_SNAPSHOT == 2
    assert NodeToggle.VALIDATE_RECORDING_LOG == 3


@pytest.mark.parametrize("request_", [each for each in ControlToggle if each > 1])
def test_a_request_is_accepted_while_no_other_is_pending(counter, request_):
    assert try_toggle(counter, request_)
    assert counter.get() == request_


@pytest.mark.parametrize("stands", [each for each in ControlToggle if each != 1])
@pytest.mark.parametrize("request_", [each for each in ControlToggle if each > 1])
def test_only_a_resumption_is_accepted_in_between(counter, stands, request_):
    # "Set by compare-and-set from NEUTRAL; RESUME also from SUSPEND."
    counter.set(stands)
    may = request_ is ControlToggle.RESUME and stands is ControlToggle.SUSPEND
    assert try_toggle(counter, request_) is may
    assert counter.get() == (request_ if may else stands)


def test_a_member_handles_one_request_at_a_time(streams):
    counter = streams.counter("Node control toggle", NodeToggle.NEUTRAL)
    assert try_toggle(counter, NodeToggle.VALIDATE_RECORDING_LOG)
    assert not try_toggle(counter, NodeToggle.REPLICATE_STANDBY_SNAPSHOT)
    assert counter.get() == NodeToggle.VALIDATE_RECORDING_LOG
