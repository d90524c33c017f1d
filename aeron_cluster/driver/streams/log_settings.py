"""The values of a new log's metadata, under the metadata's own names."""

from typing import NamedTuple


class LogSettings(NamedTuple):
    """The fields that the driver writes into a new log; lengths are bytes."""

    type: int
    session_id: int
    stream_id: int
    initial_term_id: int
    term_id: int
    """The start of the log."""
    term_length: int
    mtu_length: int
    correlation_id: int
    term_offset: int = 0
    page_size: int = 4096
    publication_window_length: int = 0
    receiver_window_length: int = 0
    socket_sndbuf_length: int = 0
    os_default_socket_sndbuf_length: int = 0
    os_max_socket_sndbuf_length: int = 0
    socket_rcvbuf_length: int = 0
    os_default_socket_rcvbuf_length: int = 0
    os_max_socket_rcvbuf_length: int = 0
    max_resend: int = 0
    entity_tag: int = -1
    response_correlation_id: int = -1
    linger_timeout_ns: int = 0
    untethered_window_limit_timeout_ns: int = 0
    untethered_resting_timeout_ns: int = 0
    untethered_linger_timeout_ns: int = -1
    group: bool = False
    is_response: bool = False
    rejoin: bool = False
    reliable: bool = False
    sparse: bool = True
    signal_eos: bool = False
    spies_simulate_connection: bool = False
    tether: bool = False
