"""Conflicting driver options are rejected by name."""

import pytest

from aeron_cluster.driver.context import DriverContext
from aeron_cluster.errors import ConfigurationError


def context(**keywords):
    return DriverContext(environment={}, **keywords)


def test_defaults_are_those_of_aeron():
    defaults = context()
    assert defaults.mtu_length == 1408
    assert defaults.term_buffer_length == 16 << 20
    assert defaults.ipc_term_buffer_length == 64 << 20
    assert defaults.conductor_buffer_length == (1 << 20) + 768
    assert defaults.untethered_linger_timeout_ns == defaults.untethered_window_limit_timeout_ns


@pytest.mark.parametrize(
    ("keywords", "name"),
    [
        ({"conductor_buffer_length": (1 << 20) + 769}, "conductor_buffer_length"),
        ({"clients_buffer_length": (3 << 20) + 128}, "clients_buffer_length"),
        ({"socket_so_sndbuf": 1024}, "socket_so_sndbuf"),
        ({"rcv_initial_window_length": 1024}, "rcv_initial_window_length"),
        ({"rcv_initial_window_length": 1 << 20}, "rcv_initial_window_length"),
        ({"client_liveness_timeout_ns": 10**9}, "client_liveness_timeout_ns"),
        ({"publication_unblock_timeout_ns": 10 * 10**9}, "publication_unblock_timeout_ns"),
        ({"untethered_resting_timeout_ns": 10**9}, "untethered_resting_timeout_ns"),
        ({"publication_reserved_session_id_high": -2}, "publication_reserved_session_id_high"),
        ({"counters_buffer_length": 450 << 20}, "counters_buffer_length"),
        ({"mtu_lenght": 1408}, "mtu_lenght"),
    ],
)
def test_rejects_unfit_options_and_names_them(keywords, name):
    with pytest.raises(ConfigurationError) as raised:
        context(**keywords)
    assert raised.value.name == name


@pytest.mark.parametrize(
    ("deprecated", "tag"),
    [
        ("aeron.PreferredMulticastFlowControl.asf", "flow_control_group_tag"),
        ("aeron.flow.control.sm.applicationSpecificFeedback", "receiver_group_tag"),
    ],
)
def test_names_from_before_group_tags_mean_tags(deprecated, tag):
    assert context(properties={deprecated: "0A00000000000080"})[tag] == 10 - 2**63
    both = {deprecated: "0A00000000000000", f"aeron.{tag.replace('_', '.')}": "7"}
    assert context(properties=both)[tag] == 7
    for wrong in ("0A", "no hexadecimal!!!"):
        with pytest.raises(ConfigurationError) as rejected:
            context(properties={deprecated: wrong})
        assert rejected.value.name == deprecated
        assert str(rejected.value).startswith("applicationSpecificFeedback length must be equal to")


@pytest.mark.parametrize(
    "name", ["aeron.event.log.reader.classname", "aeron.debug.timeout", "aeron.event.buffer.size"]
)
def test_properties_without_a_counterpart_end_the_start(name):
    with pytest.raises(ConfigurationError) as rejected:
        context(properties={name: "1"})
    assert rejected.value.name == name


def test_a_variable_that_upstream_reads_nowhere_ends_the_start_and_names_the_right_one():
    variable = "AERON_NAME_RESOLVER_CSV_LOOKUP_TABLE_ARGS"
    with pytest.raises(ConfigurationError, match="AERON_NAME_RESOLVER_INIT_ARGS") as rejected:
        DriverContext(environment={variable: "there,10.0.0.8,10.0.0.9"})
    assert rejected.value.name == variable


# Of Java's Configuration.
@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        (
            "AERON_CLIENT_LIVENESS_TIMEOUT",
            "1ms",
            "clientLivenessTimeoutNs=1000000 <= timerIntervalNs=1000000000: ",
        ),
        (
            "AERON_PUBLICATION_UNBLOCK_TIMEOUT",
            "9s",
            "publicationUnblockTimeoutNs=9000000000 <= clientLivenessTimeoutNs=10000000000: ",
        ),
        (
            "AERON_UNTETHERED_RESTING_TIMEOUT",
            "1s",
            "untetheredRestingTimeoutNs=1000000000 <= timerIntervalNs=1000000000: ",
        ),
        (
            "AERON_SOCKET_SO_SNDBUF",
            "1000",
            "mtuLength=1408 > SO_SNDBUF=1000, increase aeron.socket.so_sndbuf to match MTU: ",
        ),
        ("AERON_RCV_INITIAL_WINDOW_LENGTH", "1000", "mtuLength=1408 > initialWindowLength=1000: "),
        (
            "AERON_PUBLICATION_RESERVED_SESSION_ID_HIGH",
            "-5",
            "low session id value -1 must be <= high value -5: ",
        ),
    ],
)
def test_a_conflict_begins_as_javas_and_names_the_variable(variable, value, text):
    with pytest.raises(ConfigurationError) as raised:
        DriverContext(environment={variable: value})
    assert str(raised.value).startswith(f"{text}{variable}: expected ")
