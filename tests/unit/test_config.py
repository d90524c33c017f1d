"""The table of options, and the origins of their values."""

import inspect
import os
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

from aeron_cluster import ClientContext, ClusteredService, ClusterNode, config
from aeron_cluster.archive.options import ArchiveOptions
from aeron_cluster.client.options import ClientOptions
from aeron_cluster.cluster.backup.options import BackupOptions
from aeron_cluster.cluster.context.options import ConsensusModuleOptions
from aeron_cluster.cluster.members.members import Member
from aeron_cluster.cluster.node_options import NodeOptions
from aeron_cluster.cluster.service.options import ServiceContainerOptions
from aeron_cluster.cluster_client.context import parse_ingress_endpoints
from aeron_cluster.cluster_client.surviving_options import SurvivingClientOptions
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.config import (
    ALL_OPTIONS,
    ARCHIVE_OPTIONS,
    BACKUP_OPTIONS,
    CLIENT_OPTIONS,
    CLUSTER_CLIENT_OPTIONS,
    CONSENSUS_MODULE_OPTIONS,
    DRIVER_OPTIONS,
    SERVICE_CONTAINER_OPTIONS,
    SURVIVING_CLIENT_OPTIONS,
    Option,
    WithOptions,
    default_aeron_dir,
    duration_ns,
    own_environment,
    parse_digits,
    parse_duration_ns,
    parse_properties,
    parse_size,
    resolve,
)
from aeron_cluster.driver.option_names import make_idle_strategy
from aeron_cluster.driver.options import DriverOptions
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.system.affinity import parse_cpus

TABLES = {
    name: getattr(config, name)
    for name in config.__all__
    if name.endswith("_OPTIONS") and name != "ALL_OPTIONS"
}


@pytest.mark.parametrize("has_shared_memory", [True, False])
def test_default_directory_is_in_shared_memory_or_else_temporary(
    monkeypatch, tmp_path, has_shared_memory
):
    shared = tmp_path / "shm"
    if has_shared_memory:
        shared.mkdir()
    monkeypatch.setattr(config, "Path", lambda path: shared if path == "/dev/shm" else Path(path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "someone")
    parent = shared if has_shared_memory else tmp_path
    assert default_aeron_dir() == f"{parent}/aeron-someone"


def test_default_directory_of_a_user_without_an_entry(monkeypatch):
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    assert default_aeron_dir().endswith("/aeron-default")


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_has_each_keyword_once(table):
    keywords = [option.keyword for option in table]
    assert len(set(keywords)) == len(keywords)
    assert all(keyword.isidentifier() for keyword in keywords)


@pytest.mark.parametrize("option", ALL_OPTIONS, ids=lambda option: option.name)
def test_a_default_passes_its_own_check(option):
    default = option.default() if callable(option.default) else option.default
    assert option.check(default) == default
    assert option.doc


def test_defaults_are_those_of_aeron():
    found = resolve(DRIVER_OPTIONS, {}, {}, {})
    assert found.term_buffer_length == 16 * 1024 * 1024
    assert found.conductor_buffer_length == 1024 * 1024 + 768
    assert found.mtu_length == 1408
    assert found.image_liveness_timeout_ns == 10_000_000_000
    assert found.nak_unicast_delay_ns == 1_000
    assert found.untethered_linger_timeout_ns is None
    assert found.threading_mode == "DEDICATED"
    assert found.reliable_stream is True


def test_keyword_precedes_file_environment_and_default():
    properties = {"aeron.mtu.length": "8k", "aeron.timer.interval": "2s"}
    environment = {
        "AERON_MTU_LENGTH": "4k",
        "AERON_TIMER_INTERVAL": "3s",
        "AERON_TERM_BUFFER_LENGTH": "1m",
    }
    found = resolve(DRIVER_OPTIONS, {"mtu_length": 1408}, properties, environment)
    assert (found.mtu_length, found.origin("mtu_length")) == (1408, "keyword")
    assert (found.timer_interval_ns, found.origin("timer_interval_ns")) == (
        2_000_000_000,
        "properties",
    )
    assert found.term_buffer_length == 1024 * 1024
    assert found.origin("term_buffer_length") == "environment"
    assert found.origin("ipc_mtu_length") == "default"
    assert found.is_given("mtu_length")
    assert not found.is_given("ipc_mtu_length")


def test_every_variable_is_read_from_the_environment(monkeypatch):
    for option in ALL_OPTIONS:
        monkeypatch.setenv(option.environment, option.name)
    assert {option.environment for option in ALL_OPTIONS} <= own_environment().keys()


def test_a_keyword_of_none_counts_as_unset():
    assert resolve(DRIVER_OPTIONS, {"mtu_length": None}, {}, {}).mtu_length == 1408


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        ("aeron.term.buffer.length", "AERON_TERM_BUFFER_LENGTH"),
        ("aeron.socket.so_rcvbuf", "AERON_SOCKET_SO_RCVBUF"),
        ("aeron.multicast.FlowControl.supplier", "AERON_MULTICAST_FLOWCONTROL_SUPPLIER"),
        ("aeron.name.resolver.threshold", "AERON_DRIVER_NAME_RESOLVER_THRESHOLD"),
        ("aeron.conductor.cpu.affinity", "AERON_CONDUCTOR_CPU_AFFINITY"),
    ],
)
def test_environment_variables_are_spelled_as_the_c_driver_spells_them(name, environment):
    (option,) = [option for option in ALL_OPTIONS if option.name == name]
    assert option.environment == environment


def test_keywords_carry_units_and_do_not_shadow():
    keywords = {option.name: option.keyword for option in DRIVER_OPTIONS}
    assert keywords["aeron.timer.interval"] == "timer_interval_ns"
    assert keywords["aeron.dir"] == "aeron_dir"
    name = "aeron.CubicCongestionControl.measureRtt"
    assert keywords[name] == "cubic_congestion_control_measure_rtt"
    assert "archive_dir" in {option.keyword for option in ARCHIVE_OPTIONS}
    assert "cluster_dir" in {option.keyword for option in CONSENSUS_MODULE_OPTIONS}


def test_the_driver_timeout_without_a_unit_is_in_milliseconds():
    found = resolve(CLIENT_OPTIONS, {}, {"aeron.driver.timeout": "500"}, {})
    assert found.driver_timeout_ns == 500_000_000
    found = resolve(CLIENT_OPTIONS, {}, {"aeron.driver.timeout": "500us"}, {})
    assert found.driver_timeout_ns == 500_000


@pytest.mark.parametrize(
    ("keywords", "properties", "environment", "name", "hint"),
    [
        ({"mtu_lenght": 1}, {}, {}, "mtu_lenght", "mtu_length"),
        ({}, {"aeron.mtu.lenght": "1"}, {}, "aeron.mtu.lenght", "aeron.mtu.length"),
        ({"threading_mode": "share"}, {}, {}, "threading_mode", "SHARED"),
        ({"mtu_length": 100}, {}, {}, "mtu_length", "nearest: 96"),
        ({"mtu_length": "1408b"}, {}, {}, "mtu_length", ""),
        ({"mtu_length": 1408.0}, {}, {}, "mtu_length", ""),
        ({"mtu_length": True}, {}, {}, "mtu_length", ""),
        ({"reliable_stream": 1}, {}, {}, "reliable_stream", ""),
        ({"term_buffer_length": 100_000}, {}, {}, "term_buffer_length", "nearest: 128k"),
        ({"client_liveness_timeout_ns": -1}, {}, {}, "client_liveness_timeout_ns", "nearest: 0ns"),
        ({"max_resend": "many"}, {}, {}, "max_resend", ""),
        ({"mtu_length": "8k"}, {"aeron.mtu.length": "70000"}, {}, "aeron.mtu.length", "65504"),
        ({}, {"aeron.reliable.stream": "yes"}, {}, "aeron.reliable.stream", ""),
        ({}, {}, {"AERON_TIMER_INTERVAL": "1h"}, "AERON_TIMER_INTERVAL", ""),
    ],
)
def test_a_rejection_names_the_part_and_the_nearest_valid_one(
    keywords, properties, environment, name, hint
):
    with pytest.raises(ConfigurationError) as raised:
        resolve(DRIVER_OPTIONS, keywords, properties, environment)
    assert raised.value.name == name
    assert hint in raised.value.hint
    assert isinstance(raised.value, ValueError)


def test_properties_of_other_components_and_programs_pass():
    found = {"aeron.archive.dir": "/a", "aeron.event.log": "all", "my.app": "1"}
    assert resolve(CLIENT_OPTIONS, {}, found, {}).client_name == ""


def test_an_unknown_attribute_is_an_attribute_error():
    found = resolve(CLIENT_OPTIONS, {}, {}, {})
    with pytest.raises(AttributeError, match="nothing"):
        _ = found.nothing
    assert dict(found)["client_name"] == ""
    assert len(found) == len(CLIENT_OPTIONS)
    with pytest.raises(AttributeError, match="options"):
        _ = WithOptions().client_name  # before its options are set


def test_an_enum_accepts_any_case_and_a_member():
    option = Option("aeron.x", "enum", "A", "x", choices=("A", "B"))
    assert option.check("b") == "B"
    assert option.parse(" a ") == "A"


def test_text_option_rejects_other_values():
    with pytest.raises(ConfigurationError, match="client_name: expected a text, found 5"):
        resolve(CLIENT_OPTIONS, {"client_name": 5}, {}, {})


def test_channel_option_takes_a_parsed_channel():
    channel = ChannelUri.parse("aeron:udp?endpoint=localhost:4000")
    found = resolve(CLUSTER_CLIENT_OPTIONS, {"egress_channel": channel}, {}, {})
    assert found.egress_channel == "aeron:udp?endpoint=localhost:4000"
    with pytest.raises(ConfigurationError, match="client_name: expected a text"):
        resolve(CLIENT_OPTIONS, {"client_name": channel}, {}, {})


@pytest.mark.parametrize("properties", ["aeron.dir=/a", ["aeron.dir", "/a"], 5])
def test_properties_are_a_mapping(properties):
    with pytest.raises(ConfigurationError, match="properties: expected a mapping"):
        resolve(CLIENT_OPTIONS, {}, properties, {})


def test_keyword_of_a_foreign_name_is_the_whole_name():
    option = Option("my.app.maxOrders", "int", 1, "x")
    assert (option.keyword, option.environment) == ("my_app_max_orders", "MY_APP_MAXORDERS")


@pytest.mark.parametrize(
    ("option", "rejected", "near"),
    [
        (Option("x", "int", 0, "x", maximum=100, multiple_of=32), 200, 96),
        (Option("x", "int", 0, "x", maximum=100, multiple_of=32), -33, -32),
        (Option("x", "int", 1, "x", power_of_two=True), -5, 4),
        (Option("x", "int", 1, "x", power_of_two=True), 0, 1),
        (Option("x", "int", 1, "x", power_of_two=True), 7, 8),
    ],
)
def test_nearest_value_is_accepted(option, rejected, near):
    with pytest.raises(ConfigurationError) as caught:
        option.check(rejected)
    assert caught.value.hint == f"nearest: {near}"
    assert option.check(near) == near


def test_reads_a_java_properties_file():
    text = r"""
# a comment
! another
aeron.dir=/dev/shm/x
 aeron.mtu.length : 8k
aeron.client.name   spaced out
empty
path=C:\\x\ty
long=one,\
     two
key\=with\:signs = \u00e9
last=end\
"""
    assert parse_properties(text) == {
        "aeron.dir": "/dev/shm/x",
        "aeron.mtu.length": "8k",
        "aeron.client.name": "spaced out",
        "empty": "",
        "path": "C:\\x\ty",
        "long": "one,two",
        "key=with:signs": "é",
        "last": "end",
    }


@pytest.mark.parametrize("end", ["\\", "\\\n", "", "\r\n"])
def test_last_line_of_a_properties_file_may_be_continued(end):
    assert parse_properties("first=1\nlast=end" + end) == {"first": "1", "last": "end"}


# ---- times as programs pass them ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected_ns"),
    [
        (10, 10),
        ("10s", 10_000_000_000),
        (" 200ms ", 200_000_000),
        ("0", 0),
        (timedelta(seconds=1.5), 1_500_000_000),
        (timedelta(microseconds=3), 3_000),
    ],
)
def test_a_keyword_takes_a_time_as_a_number_a_text_or_a_timedelta(value, expected_ns):
    assert duration_ns("x_ns", value) == expected_ns
    found = resolve(CLIENT_OPTIONS, {"driver_timeout_ns": value}, environment={})
    assert found.driver_timeout_ns == expected_ns


@pytest.mark.parametrize("value", ["10", " 5000 ", True, 1.5, b"10s"])
def test_a_keyword_rejects_a_time_without_a_unit_and_an_invalid_one(value):
    with pytest.raises(ConfigurationError, match="driver_timeout_ns") as caught:
        resolve(CLIENT_OPTIONS, {"driver_timeout_ns": value}, environment={})
    assert value is True or value == 1.5 or "10s" in str(caught.value)


@pytest.mark.parametrize("value", [True, 1.5, b"10s", None, "10", "1h"])
def test_wait_rejects_a_time_without_a_unit_and_an_invalid_one(value):
    with pytest.raises(ConfigurationError, match=r"timeout_ns: expected a (time|duration)"):
        duration_ns("timeout_ns", value)


def test_property_has_javas_unit():
    found = resolve(CLIENT_OPTIONS, {}, {"aeron.client.idle.sleep.duration": "5000"}, {})
    assert found.client_idle_sleep_duration_ns == 5000


def test_a_field_beside_the_table_takes_times_too():
    context = ClientContext.of(keepalive_interval_ns=timedelta(seconds=2))
    assert context.keepalive_interval_ns == 2_000_000_000


def test_node_names_the_nearest_keyword(tmp_path):
    with pytest.raises(ConfigurationError, match="did you mean threads"):
        ClusterNode.launch(ClusteredService(), directory=tmp_path, thread="one")


def test_options_of_a_node_are_its_keywords():
    taken = inspect.signature(ClusterNode.__init__).parameters.values()
    names = {each.name for each in taken if each.kind is inspect.Parameter.KEYWORD_ONLY}
    assert set(NodeOptions.__annotations__) | {"properties"} == names


def test_every_keyword_of_a_table_has_its_type():
    for options, table in (
        (ClientOptions, CLIENT_OPTIONS),
        (DriverOptions, DRIVER_OPTIONS),
        (ArchiveOptions, ARCHIVE_OPTIONS),
        (SurvivingClientOptions, SURVIVING_CLIENT_OPTIONS),
        (SurvivingClientOptions, CLUSTER_CLIENT_OPTIONS),
        (ConsensusModuleOptions, CONSENSUS_MODULE_OPTIONS),
        (ServiceContainerOptions, SERVICE_CONTAINER_OPTIONS),
        (BackupOptions, BACKUP_OPTIONS),
    ):
        assert {each.keyword for each in table} <= set(options.__annotations__), options


# Of Java's Configuration and LogBufferDescriptor, of Agrona's SystemUtil, and of C's warnings.
@pytest.mark.parametrize(
    ("name", "text", "upstream"),
    [
        ("aeron.mtu.length", "1000", "mtuLength=1000 is not a multiple of FRAME_ALIGNMENT=32"),
        ("aeron.mtu.length", "32", "mtuLength=32 <= HEADER_LENGTH=32"),
        ("aeron.ipc.mtu.length", "65536", "mtuLength=65536 > MAX_UDP_PAYLOAD_LENGTH=65504"),
        ("aeron.term.buffer.length", "65537", "Term length not a power of 2: length=65537"),
        ("aeron.term.buffer.length", "1k", "Term length less than min length of 65536: length=10"),
        (
            "aeron.archive.control.term.buffer.length",
            "2g",
            "Term length more than max length of 1073741824: length=2147483648",
        ),
        ("aeron.file.page.size", "77", "filePageSize less than min size of 4096: 77"),
        ("aeron.file.page.size", "5000", "filePageSize not a power of 2: 5000"),
        (
            "aeron.counters.buffer.length",
            "1g",
            "counterValuesBufferLength greater than max size of 524288000: 1073741824",
        ),
        ("aeron.archive.segment.file.length", "65537", "segment file length not a power of 2: 655"),
        ("aeron.archive.segment.file.length", "64", "segment file length not in valid range: 64"),
        ("aeron.archive.file.io.max.length", "7", "invalid fileIoMaxLength=7"),
        ("aeron.cluster.service.count", "11", "service count of range [0, 10]: 11"),
        ("aeron.cluster.service.id", "12", "service id outside allowed range [0,9]: 12"),
        ("aeron.mtu.length", "8x", "aeron.mtu.length: 8x should end with: k, m, or g."),
        (
            "aeron.timer.interval",
            "5x",
            "aeron.timer.interval: 5x should end with: s, ms, us, or ns.",
        ),
        ("AERON_MTU_LENGTH", "8x", "AERON_MTU_LENGTH=8x is invalid"),
        ("AERON_TIMER_INTERVAL", "5x", "AERON_TIMER_INTERVAL=5x is invalid"),
        ("AERON_THREADING_MODE", "SHRED", "AERON_THREADING_MODE=SHRED is invalid"),
        ("AERON_MAX_RESEND", "two", "AERON_MAX_RESEND=two is invalid"),
    ],
)
def test_a_rejection_begins_as_upstreams(name, text, upstream):
    options = [each for each in ALL_OPTIONS if name in (each.name, each.environment)]
    with pytest.raises(ConfigurationError) as caught:
        options[0].parse(text, name)
    assert str(caught.value).startswith(upstream)
    assert f": {name}: expected " in str(caught.value)


MANY_DIGITS = "9" * 5000  # more than Python converts


@pytest.mark.parametrize(
    "parse",
    [
        lambda: parse_size("length", f"{MANY_DIGITS}k"),
        lambda: parse_duration_ns("timeout", f"{MANY_DIGITS}s"),
        lambda: duration_ns("timeout", MANY_DIGITS),
        lambda: Option("max", "int", 0, "A number.").parse(MANY_DIGITS),
        lambda: make_idle_strategy("idle", "backoff", f"{MANY_DIGITS}-1-1us-1us"),
        lambda: Member.parse(f"{MANY_DIGITS},a:1,a:2,a:3,a:4,a:5"),
        lambda: Member.parse(f"1,a:{MANY_DIGITS},a:2,a:3,a:4,a:5"),
        lambda: parse_ingress_endpoints(f"{MANY_DIGITS}=a:1"),
        lambda: parse_cpus(MANY_DIGITS),
        lambda: parse_cpus(f"0-{MANY_DIGITS}"),
    ],
)
def test_numbers_with_too_many_digits_are_rejected(parse):
    with pytest.raises(ConfigurationError):
        parse()


def test_digits_are_a_number_up_to_a_length():
    assert parse_digits("0042") == 42
    assert parse_digits("9" * 100) == 10**100 - 1
    for text in ("", "-1", "+1", " 1", "1_0", "0x1", "9" * 101):
        assert parse_digits(text) is None
