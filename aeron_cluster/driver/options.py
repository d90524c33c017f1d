# Generated from config.py by tools/generate_options.py. Edit config.py, run it again.
"""The types of options, by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Literal

    from aeron_cluster.config import Duration, Size
    from aeron_cluster.memory.system.seams import Seams

__all__ = ["DriverOptions"]


class DriverOptions(TypedDict, total=False):
    """The options of `MediaDriver.launch` and `DriverContext.of`."""

    aeron_dir: str | os.PathLike[str] | None
    """Directory of the driver, which its clients share: aeron.dir (default: that of this user)."""
    driver_timeout_ns: Duration | None
    """A driver without a heartbeat for this long is considered dead: aeron.driver.timeout (default:
    10s)."""
    dir_warn_if_exists: bool | None
    """Log a warning when the directory exists already: aeron.dir.warn.if.exists (default:
    False)."""
    dir_delete_on_start: bool | None
    """Delete the directory of an ended driver on start: aeron.dir.delete.on.start (default:
    False)."""
    dir_delete_on_shutdown: bool | None
    """Delete the directory on close: aeron.dir.delete.on.shutdown (default: False)."""
    conductor_buffer_length: Size | None
    """Commands to the driver: aeron.conductor.buffer.length (default: 1049344)."""
    clients_buffer_length: Size | None
    """Events to the clients: aeron.clients.buffer.length (default: 1048704)."""
    counters_buffer_length: Size | None
    """Counter values: aeron.counters.buffer.length (default: 8m)."""
    error_buffer_length: Size | None
    """Distinct error log: aeron.error.buffer.length (default: 4m)."""
    loss_report_buffer_length: Size | None
    """Loss report: aeron.loss.report.buffer.length (default: 1m)."""
    file_page_size: Size | None
    """Page size to which file lengths are rounded up: aeron.file.page.size (default: 4k)."""
    term_buffer_length: Size | None
    """Length of each of a network publication's three terms: aeron.term.buffer.length (default:
    16m)."""
    ipc_term_buffer_length: Size | None
    """Length of each of an IPC publication's three terms: aeron.ipc.term.buffer.length (default:
    64m)."""
    term_buffer_sparse_file: bool | None
    """Allocate a log's pages only when they are used: aeron.term.buffer.sparse.file (default:
    True)."""
    perform_storage_checks: bool | None
    """Check the free space before creating a log: aeron.perform.storage.checks (default: True)."""
    low_file_store_warning_threshold: Size | None
    """Free space below which a warning is logged: aeron.low.file.store.warning.threshold (default:
    160m)."""
    mtu_length: Size | None
    """Longest frame on the wire: aeron.mtu.length (default: 1408)."""
    ipc_mtu_length: Size | None
    """Longest frame of IPC: aeron.ipc.mtu.length (default: 1408)."""
    publication_term_window_length: Size | None
    """How far a publisher may be ahead; 0: half a term: aeron.publication.term.window.length
    (default: 0)."""
    ipc_publication_term_window_length: Size | None
    """How far an IPC publisher may be ahead; 0: half a term:
    aeron.ipc.publication.term.window.length (default: 0)."""
    rcv_initial_window_length: Size | None
    """Receiver window: aeron.rcv.initial.window.length (default: 128k)."""
    socket_so_rcvbuf: Size | None
    """SO_RCVBUF; 0: the system's: aeron.socket.so_rcvbuf (default: 128k)."""
    socket_so_sndbuf: Size | None
    """SO_SNDBUF; 0: the system's: aeron.socket.so_sndbuf (default: 0)."""
    socket_multicast_ttl: int | None
    """Hops of multicast; 0: the system's: aeron.socket.multicast.ttl (default: 0)."""
    timer_interval_ns: Duration | None
    """Time between the conductor's checks of timeouts: aeron.timer.interval (default: 1s)."""
    client_liveness_timeout_ns: Duration | None
    """Timeout of an inactive client: aeron.client.liveness.timeout (default: 10s)."""
    image_liveness_timeout_ns: Duration | None
    """Timeout of an inactive image: aeron.image.liveness.timeout (default: 10s)."""
    publication_unblock_timeout_ns: Duration | None
    """Time after which an unfinished claim is replaced by padding:
    aeron.publication.unblock.timeout (default: 15s)."""
    publication_connection_timeout_ns: Duration | None
    """Time without a status message after which it is not connected:
    aeron.publication.connection.timeout (default: 5s)."""
    publication_linger_timeout_ns: Duration | None
    """How long a drained publication lingers: aeron.publication.linger.timeout (default: 5s)."""
    counters_free_to_reuse_timeout_ns: Duration | None
    """Time before a freed counter is reused: aeron.counters.free.to.reuse.timeout (default: 1s)."""
    rcv_status_message_timeout_ns: Duration | None
    """Longest time between status messages: aeron.rcv.status.message.timeout (default: 200ms)."""
    untethered_window_limit_timeout_ns: Duration | None
    """How long a slow untethered subscriber limits the publisher:
    aeron.untethered.window.limit.timeout (default: 5s)."""
    untethered_linger_timeout_ns: Duration | None
    """How long it then lingers; unset: as the window limit timeout:
    aeron.untethered.linger.timeout."""
    untethered_resting_timeout_ns: Duration | None
    """How long it then rests before it rejoins: aeron.untethered.resting.timeout (default: 10s)."""
    flow_control_receiver_timeout_ns: Duration | None
    """Time after which a silent receiver no longer counts: aeron.flow.control.receiver.timeout
    (default: 5s)."""
    nak_unicast_delay_ns: Duration | None
    """Delay of the first NAK for a gap: aeron.nak.unicast.delay (default: 1us)."""
    nak_unicast_retry_delay_ratio: int | None
    """Factor by which the delay of further NAKs is longer: aeron.nak.unicast.retry.delay.ratio
    (default: 100)."""
    nak_multicast_group_size: int | None
    """Receivers that may send the same NAK: aeron.nak.multicast.group.size (default: 10)."""
    nak_multicast_max_backoff_ns: Duration | None
    """Longest random delay of a NAK: aeron.nak.multicast.max.backoff (default: 10ms)."""
    retransmit_unicast_delay_ns: Duration | None
    """Delay of a retransmit: aeron.retransmit.unicast.delay (default: 0ns)."""
    retransmit_unicast_linger_ns: Duration | None
    """Time after a retransmit in which NAKs for it are ignored: aeron.retransmit.unicast.linger
    (default: 10ms)."""
    driver_reresolution_check_interval_ns: Duration | None
    """Time between checks of the names of silent endpoints:
    aeron.driver.reresolution.check.interval (default: 1s)."""
    driver_resolver_neighbor_timeout_ns: Duration | None
    """Time after which a silent driver and its name are forgotten:
    aeron.driver.resolver.neighbor.timeout (default: 10s)."""
    driver_resolver_self_resolution_interval_ns: Duration | None
    """Interval of announcing the own name to other drivers:
    aeron.driver.resolver.self.resolution.interval (default: 1s)."""
    driver_resolver_neighbor_resolution_interval_ns: Duration | None
    """Interval of passing on the names of other drivers:
    aeron.driver.resolver.neighbor.resolution.interval (default: 2s)."""
    driver_resolver_bootstrap_neighbor_resolution_interval_ns: Duration | None
    """Interval of looking up bootstrap neighbours that are silent:
    aeron.driver.resolver.bootstrap.neighbor.resolution.interval (default: 10s)."""
    driver_conductor_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.driver.conductor.cycle.threshold (default:
    100ms)."""
    driver_sender_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.driver.sender.cycle.threshold (default:
    100ms)."""
    driver_receiver_cycle_threshold_ns: Duration | None
    """Duration above which a pass is counted: aeron.driver.receiver.cycle.threshold (default:
    100ms)."""
    name_resolver_threshold_ns: Duration | None
    """Duration above which a resolution is counted: aeron.name.resolver.threshold (default: 5s)."""
    threading_mode: Literal["DEDICATED", "SHARED_NETWORK", "SHARED", "INVOKER"] | None
    """How the driver's agents share threads: aeron.threading.mode (default: DEDICATED)."""
    conductor_idle_strategy: str | None
    """How the conductor agent waits: aeron.conductor.idle.strategy (default: backoff)."""
    sender_idle_strategy: str | None
    """How the sender agent waits: aeron.sender.idle.strategy (default: backoff)."""
    receiver_idle_strategy: str | None
    """How the receiver agent waits: aeron.receiver.idle.strategy (default: backoff)."""
    sharednetwork_idle_strategy: str | None
    """How the sharednetwork agent waits: aeron.sharednetwork.idle.strategy (default: backoff)."""
    shared_idle_strategy: str | None
    """How the shared agent waits: aeron.shared.idle.strategy (default: backoff)."""
    driver_connect: bool | None
    """Connect the socket of a publication with an endpoint: aeron.driver.connect (default:
    True)."""
    driver_async_executor_enabled: bool | None
    """Resolve names on a separate thread: aeron.driver.async.executor.enabled (default: True)."""
    conductor_idle_strategy_init_args: str | None
    """Arguments of the conductor agent's idle strategy: aeron.conductor.idle.strategy.init.args."""
    sender_idle_strategy_init_args: str | None
    """Arguments of the sender agent's idle strategy: aeron.sender.idle.strategy.init.args."""
    receiver_idle_strategy_init_args: str | None
    """Arguments of the receiver agent's idle strategy: aeron.receiver.idle.strategy.init.args."""
    sharednetwork_idle_strategy_init_args: str | None
    """Arguments of the sharednetwork agent's idle strategy:
    aeron.sharednetwork.idle.strategy.init.args."""
    shared_idle_strategy_init_args: str | None
    """Arguments of the shared agent's idle strategy: aeron.shared.idle.strategy.init.args."""
    driver_async_executor_idle_strategy: str | None
    """Rejected: the executor has no idle strategy: aeron.driver.async.executor.idle.strategy."""
    driver_async_executor_idle_strategy_init_args: str | None
    """Rejected: the executor has no idle strategy:
    aeron.driver.async.executor.idle.strategy.init.args."""
    send_to_status_poll_ratio: int | None
    """Sends between polls for status messages: aeron.send.to.status.poll.ratio (default: 6)."""
    driver_resource_free_limit: int | None
    """Logs freed per pass: aeron.driver.resource.free.limit (default: 10)."""
    driver_stream_session_limit: int | None
    """Highest number of images of a stream: aeron.driver.stream.session.limit (default:
    2147483647)."""
    max_resend: int | None
    """Concurrent retransmits of one publication: aeron.max.resend (default: 16)."""
    spies_simulate_connection: bool | None
    """Spies alone connect a publication: aeron.spies.simulate.connection (default: False)."""
    reliable_stream: bool | None
    """Request retransmits of lost data: aeron.reliable.stream (default: True)."""
    tether_subscriptions: bool | None
    """Slow subscribers limit the publisher: aeron.tether.subscriptions (default: True)."""
    rejoin_stream: bool | None
    """An image may become available again after a timeout: aeron.rejoin.stream (default: True)."""
    receiver_group_consideration: Literal["INFER", "FORCE_TRUE", "FORCE_FALSE"] | None
    """Whether receivers are a group: aeron.receiver.group.consideration (default: INFER)."""
    receiver_group_tag: int | None
    """Tag in a status, for tagged flow control: aeron.receiver.group.tag."""
    flow_control_group_tag: int | None
    """Group tag that the sender requires: aeron.flow.control.group.tag (default: -1)."""
    flow_control_group_min_size: int | None
    """Receivers needed before a sender is connected: aeron.flow.control.group.min.size (default:
    0)."""
    unicast_flow_control_rrwm: int | None
    """Retransmit window multiple of unicast: aeron.unicast.flow.control.rrwm (default: 16)."""
    multicast_flow_control_rrwm: int | None
    """Retransmit window multiple of groups: aeron.multicast.flow.control.rrwm (default: 4)."""
    unicast_flow_control_supplier: str | None
    """Flow control of unicast: aeron.unicast.FlowControl.supplier (default: max)."""
    unicast_flow_control_strategy: str | None
    """The same, by the class name of the strategy: aeron.unicast.flow.control.strategy."""
    multicast_flow_control_supplier: str | None
    """Flow control of groups: aeron.multicast.FlowControl.supplier (default: max)."""
    multicast_flow_control_strategy: str | None
    """The same, by the class name of the strategy: aeron.multicast.flow.control.strategy."""
    preferred_multicast_flow_control_asf: str | None
    """Flow control group tag as 8 bytes in hexadecimal, the lowest first; deprecated upstream:
    aeron.PreferredMulticastFlowControl.asf."""
    flow_control_sm_application_specific_feedback: str | None
    """Receiver group tag as 8 bytes in hexadecimal, the lowest first; deprecated upstream:
    aeron.flow.control.sm.applicationSpecificFeedback."""
    congestion_control_supplier: str | None
    """Congestion control: aeron.CongestionControl.supplier (default: static)."""
    cubic_congestion_control_measure_rtt: bool | None
    """Measure round trips for it: aeron.CubicCongestionControl.measureRtt (default: False)."""
    cubic_congestion_control_initial_rtt_ns: Duration | None
    """Assumed round trip before the first measurement: aeron.CubicCongestionControl.initialRtt
    (default: 100us)."""
    cubic_congestion_control_tcp_mode: bool | None
    """Share a link fairly with TCP: aeron.CubicCongestionControl.tcpMode (default: False)."""
    publication_reserved_session_id_low: int | None
    """First session id that is never chosen automatically:
    aeron.publication.reserved.session.id.low (default: -1)."""
    publication_reserved_session_id_high: int | None
    """Last session id that is never chosen automatically:
    aeron.publication.reserved.session.id.high (default: 1000)."""
    sender_wildcard_port_range: str | None
    """Ports to use for port 0, as low and high: aeron.sender.wildcard.port.range."""
    receiver_wildcard_port_range: str | None
    """Ports to use for port 0, as low and high: aeron.receiver.wildcard.port.range."""
    driver_resolver_name: str | None
    """The driver's name, which it announces to others: aeron.driver.resolver.name."""
    driver_resolver_interface: str | None
    """Host:port to exchange names with other drivers; none: they are not exchanged:
    aeron.driver.resolver.interface."""
    driver_resolver_bootstrap_neighbor: str | None
    """Up to 20 other drivers, as host:port separated by commas, to announce the name to first:
    aeron.driver.resolver.bootstrap.neighbor."""
    name_resolver_supplier: str | None
    """Default, csv_table, or driver, which needs aeron.driver.resolver.interface:
    aeron.name.resolver.supplier (default: default)."""
    name_resolver_init_args: str | None
    """Arguments of csv_table: rows name,host,host separated by bars:
    aeron.name.resolver.init.args."""
    send_channel_endpoint_supplier: str | None
    """Sending endpoints: aeron.SendChannelEndpoint.supplier (default: default)."""
    receive_channel_endpoint_supplier: str | None
    """Receiving endpoints: aeron.ReceiveChannelEndpoint.supplier (default: default)."""
    udp_channel_transport_bindings_media: str | None
    """Sockets: aeron.udp.channel.transport.bindings.media (default: default)."""
    conductor_udp_channel_transport_bindings_media: str | None
    """Sockets: aeron.conductor.udp.channel.transport.bindings.media (default: default)."""
    driver_dynamic_libraries: str | None
    """Rejected: none are loaded: aeron.driver.dynamic.libraries."""
    agent_on_start_function: str | None
    """Rejected: none is called: aeron.agent.on.start.function."""
    enable_experimental_features: bool | None
    """As upstream; at present without effect: aeron.enable.experimental.features (default:
    False)."""
    driver_termination_validator: str | None
    """Which clients may end the driver: allow, deny, or module:function(directory, token):
    aeron.driver.termination.validator (default: deny)."""
    udp_channel_incoming_interceptors: str | None
    """Loss, fixed-loss, multi-gap-loss: aeron.udp.channel.incoming.interceptors."""
    udp_channel_outgoing_interceptors: str | None
    """The same: aeron.udp.channel.outgoing.interceptors."""
    udp_channel_transport_bindings_loss_args: str | None
    """Rate, seed, recv-msg-mask: aeron.udp.channel.transport.bindings.loss.args."""
    udp_channel_transport_bindings_fixed_loss_args: str | None
    """Term-id, term-offset, length: aeron.udp.channel.transport.bindings.fixed.loss.args."""
    udp_channel_transport_bindings_multi_gap_loss_args: str | None
    """Term-id, gap-radix, gap-length, total-gaps:
    aeron.udp.channel.transport.bindings.multi.gap.loss.args."""
    debug_send_data_loss_rate: str | None
    """Rate of random losses, 0 to 1: aeron.debug.send.data.loss.rate (default: 0.0)."""
    debug_send_data_loss_seed: int | None
    """Seed of these losses: aeron.debug.send.data.loss.seed (default: -1)."""
    debug_send_control_loss_rate: str | None
    """Rate of random losses, 0 to 1: aeron.debug.send.control.loss.rate (default: 0.0)."""
    debug_send_control_loss_seed: int | None
    """Seed of these losses: aeron.debug.send.control.loss.seed (default: -1)."""
    debug_receive_data_loss_rate: str | None
    """Rate of random losses, 0 to 1: aeron.debug.receive.data.loss.rate (default: 0.0)."""
    debug_receive_data_loss_seed: int | None
    """Seed of these losses: aeron.debug.receive.data.loss.seed (default: -1)."""
    debug_receive_control_loss_rate: str | None
    """Rate of random losses, 0 to 1: aeron.debug.receive.control.loss.rate (default: 0.0)."""
    debug_receive_control_loss_seed: int | None
    """Seed of these losses: aeron.debug.receive.control.loss.seed (default: -1)."""
    print_configuration: bool | None
    """Print all options on start: aeron.print.configuration (default: False)."""
    receiver_io_vector_capacity: int | None
    """Datagrams received in one call: aeron.receiver.io.vector.capacity (default: 16)."""
    sender_io_vector_capacity: int | None
    """Datagrams sent in one call: aeron.sender.io.vector.capacity (default: 16)."""
    network_publication_max_messages_per_send: int | None
    """Datagrams of one publication sent in one call:
    aeron.network.publication.max.messages.per.send (default: 8)."""
    conductor_cpu_affinity: int | None
    """Processor that the conductor thread is pinned to; -1: any: aeron.conductor.cpu.affinity
    (default: -1)."""
    sender_cpu_affinity: int | None
    """Processor that the sender thread is pinned to; -1: any: aeron.sender.cpu.affinity (default:
    -1)."""
    receiver_cpu_affinity: int | None
    """Processor that the receiver thread is pinned to; -1: any: aeron.receiver.cpu.affinity
    (default: -1)."""
    event_log: str | None
    """Events to log: names and numbers, separated by commas, or all: aeron.event.log."""
    event_log_disable: str | None
    """Events to leave out of them: aeron.event.log.disable."""
    event_log_filename: str | None
    """File to which logged events are appended; unset: standard output:
    aeron.event.log.filename."""
    event_buffer_length: Size | None
    """Buffer of logged events, from which other processes read the recent ones:
    aeron.event.buffer.length (default: 8m)."""
    environment: Mapping[str, str] | None
    """The environment; by default that of the process."""
    seams: Seams | None
    """Time, randomness, network and files."""
    termination_hook: Callable[[], object] | None
    """Called, on the conductor's thread, when the driver cannot continue, or a client requests its
    termination."""
    termination_validator: Callable[[str, bytes], object] | None
    """Called with the directory and the token of a client's request for termination; it is allowed
    if the result is true."""
