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
