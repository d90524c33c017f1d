"""Names of Java's classes and C's functions, arguments of idle strategies, unknown names."""

import pytest

from aeron_cluster.config import DRIVER_OPTIONS
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.idle_strategy import IdleKind
from aeron_cluster.memory.shared.counters_layout import CounterType
from tests.unit.driver.driver_rig import DriverRig

JAVA = "io.aeron.driver."


@pytest.mark.parametrize(
    ("variable", "value", "keyword", "meaning"),
    [
        (
            "AERON_UNICAST_FLOWCONTROL_SUPPLIER",
            "aeron_unicast_flow_control_strategy_supplier",
            "unicast_flow_control_supplier",
            "unicast",
        ),
        (
            "AERON_MULTICAST_FLOWCONTROL_SUPPLIER",
            "aeron_min_flow_control_strategy_supplier",
            "multicast_flow_control_supplier",
            "min",
        ),
        (
            "AERON_MULTICAST_FLOWCONTROL_SUPPLIER",
            f"{JAVA}TaggedMulticastFlowControlSupplier",
            "multicast_flow_control_supplier",
            "tagged",
        ),
        (
            "AERON_MULTICAST_FLOW_CONTROL_STRATEGY",
            f"{JAVA}MinMulticastFlowControl",
            "multicast_flow_control_supplier",
            "min",
        ),
        (
            "AERON_CONGESTIONCONTROL_SUPPLIER",
            f"{JAVA}ext.CubicCongestionControlSupplier",
            "congestion_control_supplier",
            "cubic",
        ),
        (
            "AERON_CONGESTIONCONTROL_SUPPLIER",
            "aeron_congestion_control_default_strategy_supplier",
            "congestion_control_supplier",
            "static",
        ),
        (
            "AERON_DRIVER_TERMINATION_VALIDATOR",
            f"{JAVA}DefaultAllowTerminationValidator",
            "driver_termination_validator",
            "allow",
        ),
        (
            "AERON_NAME_RESOLVER_SUPPLIER",
            "aeron_csv_table_name_resolver_supplier",
            "name_resolver_supplier",
            "csv_table",
        ),
        ("AERON_DRIVER_RESOLVER_NAME", "A", "driver_resolver_name", "A"),
        (
            "AERON_DRIVER_RESOLVER_SELF_RESOLUTION_INTERVAL",
            "300ms",
            "driver_resolver_self_resolution_interval_ns",
            300_000_000,
        ),
    ],
)
def test_name_has_the_same_meaning_as_in_aeron(variable, value, keyword, meaning):
    assert DriverContext(environment={variable: value})[keyword] == meaning


# The tables of upstream's C driver, each name with its function (`aeron_symbol_table_func_t`).
C_NAMES = [
    ("UNICAST_FLOWCONTROL_SUPPLIER", "unicast_max", "aeron_unicast_flow_control_strategy_supplier"),
    (
        "MULTICAST_FLOWCONTROL_SUPPLIER",
        "multicast_max",
        "aeron_max_multicast_flow_control_strategy_supplier",
    ),
    ("MULTICAST_FLOWCONTROL_SUPPLIER", "multicast_min", "aeron_min_flow_control_strategy_supplier"),
    (
        "MULTICAST_FLOWCONTROL_SUPPLIER",
        "multicast_tagged",
        "aeron_tagged_flow_control_strategy_supplier",
    ),
    (
        "CONGESTIONCONTROL_SUPPLIER",
        "default",
        "aeron_congestion_control_default_strategy_supplier",
    ),
    (
        "CONGESTIONCONTROL_SUPPLIER",
        "static",
        "aeron_static_window_congestion_control_strategy_supplier",
    ),
    ("CONGESTIONCONTROL_SUPPLIER", "cubic", "aeron_cubic_congestion_control_strategy_supplier"),
    ("NAME_RESOLVER_SUPPLIER", "default", "aeron_default_name_resolver_supplier"),
    ("NAME_RESOLVER_SUPPLIER", "csv_table", "aeron_csv_table_name_resolver_supplier"),
    (
        "DRIVER_TERMINATION_VALIDATOR",
        "allow",
        "aeron_driver_termination_validator_default_allow",
    ),
    ("DRIVER_TERMINATION_VALIDATOR", "deny", "aeron_driver_termination_validator_default_deny"),
    (
        "UDP_CHANNEL_TRANSPORT_BINDINGS_MEDIA",
        "default",
        "aeron_udp_channel_transport_bindings_default",
    ),
    (
        "CONDUCTOR_UDP_CHANNEL_TRANSPORT_BINDINGS_MEDIA",
        "default",
        "aeron_udp_channel_transport_bindings_default",
    ),
]
OPTIONS = {option.environment: option.keyword for option in DRIVER_OPTIONS}


@pytest.mark.parametrize(("variable", "name", "function"), C_NAMES)
def test_a_function_of_c_means_the_same_as_its_name(variable, name, function):
    meanings = [
        DriverContext(environment={f"AERON_{variable}": value})[OPTIONS[f"AERON_{variable}"]]
        for value in (name, function)
    ]
    assert meanings[0] == meanings[1]


@pytest.mark.parametrize(
    ("options", "name", "part"),
    [
        (
            {"multicast_flow_control_supplier": "multicast_mni"},
            "aeron.multicast.FlowControl.supplier",
            "did you mean multicast_min?",
        ),
        ({"unicast_flow_control_supplier": "min"}, "aeron.unicast.FlowControl.supplier", "unicast"),
        ({"congestion_control_supplier": "vegas"}, "aeron.CongestionControl.supplier", "cubic"),
        ({"driver_termination_validator": "ask"}, "aeron.driver.termination.validator", "allow"),
        ({"conductor_idle_strategy": "yeild"}, "aeron.conductor.idle.strategy", "yield?"),
        ({"shared_idle_strategy": "x"}, "aeron.shared.idle.strategy", "one of"),
        (
            {"send_channel_endpoint_supplier": "com.acme.Endpoints"},
            "aeron.SendChannelEndpoint.supplier",
            "default",
        ),
        ({"name_resolver_supplier": "drivre"}, "aeron.name.resolver.supplier", "mean driver?"),
        (
            {"name_resolver_supplier": "driver"},
            "aeron.driver.resolver.interface",
            "host:port, since aeron.name.resolver.supplier is driver",
        ),
        (
            {"driver_resolver_interface": "localhost:8050"},
            "aeron.driver.resolver.name",
            "`resolverName` is required when `resolverInterface` is set",
        ),
        (
            {"driver_resolver_bootstrap_neighbor": "localhost:8050"},
            "aeron.driver.resolver.bootstrap.neighbor",
            "no value without aeron.driver.resolver.interface",
        ),
        ({"driver_resolver_name": "a\n"}, "aeron.driver.resolver.name", "printable ASCII"),
        (
            {"driver_resolver_neighbor_timeout_ns": 999_999},
            "driver_resolver_neighbor_timeout_ns",
            ">= 1ms",
        ),
        ({"driver_dynamic_libraries": "a.so"}, "aeron.driver.dynamic.libraries", "not loaded"),
        (
            {"driver_async_executor_idle_strategy": "yield"},
            "aeron.driver.async.executor.idle.strategy",
            "without an idle strategy",
        ),
        (
            {"udp_channel_transport_bindings_media": "efvi"},
            "aeron.udp.channel.transport.bindings.media",
            "default",
        ),
        (
            {"sender_idle_strategy": "yield", "sender_idle_strategy_init_args": "1us"},
            "aeron.sender.idle.strategy.init.args",
            "none for the strategy",
        ),
        (
            {"sender_idle_strategy_init_args": "1-2-3"},
            "aeron.sender.idle.strategy.init.args",
            "10-20-1us-1ms",
        ),
        (
            {"sender_idle_strategy_init_args": "1-2-3ms-1us"},
            "aeron.sender.idle.strategy.init.args",
            "min_park_period_ns",
        ),
    ],
)
def test_unknown_name_ends_the_start(options, name, part):
    with pytest.raises(ConfigurationError) as caught:
        DriverContext(environment={}, **options)
    assert caught.value.name == name
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("backoff", "1-2-5us-1ms", IdleKind.BACKOFF),
        ("aeron_idle_strategy_backoff", None, IdleKind.BACKOFF),
        ("sleep-ns", "50us", IdleKind.SLEEPING),
        ("aeron_idle_strategy_busy_spinning", None, IdleKind.BUSY_SPIN),
        ("org.agrona.concurrent.YieldingIdleStrategy", None, IdleKind.YIELDING),
    ],
)
def test_idle_strategies_take_their_arguments(name, arguments, kind):
    variables = {"AERON_RECEIVER_IDLE_STRATEGY": name}
    if arguments is not None:
        variables["AERON_RECEIVER_IDLE_STRATEGY_INIT_ARGS"] = arguments
    assert DriverContext(environment=variables).idle_strategy("receiver").kind == kind


def test_a_name_table_is_switched_by_its_counters(shm_dir):
    rig = DriverRig(
        shm_dir / "a",
        name_resolver_supplier="csv_table",
        name_resolver_init_args="here,127.0.0.1,127.0.0.2|there,127.0.0.3,127.0.0.4|",
    )
    try:
        [entry] = [each for each in rig.counters.counters() if "name='here'" in each.label]
        assert entry.type_id == 2001
        assert entry.key[:8] == b"\4\0\0\0here"
        channel = "aeron:udp?endpoint=here:4000"
        rig.ready(rig.add_publication(channel))
        rig.counters.set_value(entry.counter_id, -1)
        _, text = rig.error(rig.add_publication(channel, 11))
        assert text == "unknown host here: Unable to resolve host=(here): (forced): " + channel
        rig.counters.set_value(entry.counter_id, 1)
        rig.add_subscription(channel)
        [bound] = rig.labels(CounterType.COUNTER_TYPE_RECEIVE_CHANNEL_STATUS)
        assert bound.endswith("127.0.0.2:4000")
    finally:
        rig.close()


@pytest.mark.parametrize("text", [None, "|", "a,b|", "a,,c"])
def test_a_name_table_without_rows_ends_the_start(shm_dir, text):
    with pytest.raises(ConfigurationError, match="rows name,host,host"):
        DriverRig(shm_dir / "a", name_resolver_supplier="csv_table", name_resolver_init_args=text)
