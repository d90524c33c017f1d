"""A cluster client's invalid options: AeronClusterContextTest."""

import os
import re
import struct
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeron_cluster import AeronCluster, SurvivingClient
from aeron_cluster.cluster_client import cluster_client
from aeron_cluster.cluster_client.context import ClusterClientContext, parse_ingress_endpoints
from aeron_cluster.cluster_client.embedded_driver import check_driver
from aeron_cluster.errors import ConfigurationError, CorruptError, DriverTimeoutError
from aeron_cluster.memory.system.process import SystemProcesses
from aeron_cluster.memory.system.seams import SystemClock
from tests.unit.client.fake_driver import FakeDriver

NAME = "aeron.cluster.client.name"


def context(properties=None, **changed):
    return ClusterClientContext.of(
        properties=properties,
        **{"ingress_channel": "aeron:udp", "egress_channel": "aeron:udp?endpoint=me:0", **changed},
    )


@pytest.mark.parametrize(
    ("changed", "name", "text"),
    [
        ({"ingress_channel": ""}, "ingress_channel", "ingressChannel must be specified"),
        ({"egress_channel": ""}, "egress_channel", "egressChannel must be specified"),
        (
            {"ingress_channel": "aeron:ipc", "ingress_endpoints": "0=a:1"},
            "ingress_endpoints",
            "AeronCluster.Context ingressEndpoints must be null when using IPC ingress",
        ),
        (
            {"client_name": "x" * 101},
            "client_name",
            "AeronCluster.Context.clientName length must be <= 100",
        ),
        (
            {"ingress_endpoints": "0=a:1,b:2"},
            "ingress endpoint",
            "endpoint missing '=' separator: 0=a:1,b:2",
        ),
        ({"ingress_endpoints": "0=a:1,0=b:2"}, "ingress endpoints", ""),
        (
            {"new_leader_timeout_ns": -2},
            "new_leader_timeout_ns",
            "newLeaderTimeoutNs must be positive or -1, but was -2",
        ),
    ],
)
def test_rejects_invalid_values_by_name_with_upstreams_text(changed, name, text):
    with pytest.raises(ConfigurationError) as raised:
        context(**changed)
    assert raised.value.name == name
    assert str(raised.value).startswith(f"{text}: {name}: " if text else f"{name}: ")


@pytest.mark.parametrize("given", [0, -1])
def test_a_timeout_for_a_new_leader_is_the_clusters_by_default(given):
    assert context(new_leader_timeout_ns=given).new_leader_timeout_ns == 0


def test_client_name_is_given_or_from_properties_or_empty():
    assert context().client_name == ""
    assert context({NAME: "from properties"}).client_name == "from properties"
    assert context({NAME: "from properties"}, client_name="given").client_name == "given"
    assert context(client_name="x" * 100).client_name == "x" * 100


def test_endpoints_are_read_by_member():
    assert parse_ingress_endpoints("0=a:1,2=[::1]:2") == {0: "a:1", 2: "[::1]:2"}


def test_endpoints_alone_are_numbered_and_decide_the_channels():
    found = ClusterClientContext.of(ingress_endpoints="127.0.0.1:9001, 127.0.0.1:9011")
    assert found.ingress_endpoints == "0=127.0.0.1:9001,1=127.0.0.1:9011"
    assert found.ingress_channel == "aeron:udp"
    assert found.egress_channel == "aeron:udp?endpoint=127.0.0.1:0"


def test_an_ipv6_member_is_answered_by_ipv6():
    found = ClusterClientContext.of(ingress_endpoints="[::1]:9001")
    assert found.egress_channel == "aeron:udp?endpoint=[::1]:0"


def test_options_given_beside_endpoints_are_retained():
    found = ClusterClientContext.of(
        ingress_endpoints="7=a:1",
        egress_channel="aeron:udp?endpoint=me:0",
        ingress_channel="aeron:udp?mtu=8k",
    )
    assert found.ingress_endpoints == "7=a:1"
    assert found.ingress_channel == "aeron:udp?mtu=8k"
    assert found.egress_channel == "aeron:udp?endpoint=me:0"


@pytest.mark.parametrize("endpoints", ["no-such-host.invalid:9001", "127.0.0.1:port", "127.0.0.1"])
def test_a_member_without_a_route_is_named(endpoints):
    with pytest.raises(ConfigurationError) as raised:
        ClusterClientContext.of(ingress_endpoints=endpoints)
    assert endpoints in str(raised.value)


# ---- the driver -------------------------------------------------------------------------------

MEMBER = "127.0.0.1:9"  # the discard port: nobody answers


def test_a_client_without_a_driver_launches_one_and_closes_it(monkeypatch):
    monkeypatch.delenv("AERON_DIR", raising=False)
    client = SurvivingClient.start(MEMBER)
    directory = Path(client._driver.aeron_dir)
    assert (directory / "cnc.dat").is_file()
    client.do_work()
    assert client._aeron.context.aeron_dir == str(directory)
    client.close()
    assert client._driver.is_closed
    assert not directory.exists()


def test_abandoned_session_closes_its_driver(monkeypatch):
    monkeypatch.delenv("AERON_DIR", raising=False)
    with AeronCluster.async_connect(MEMBER) as connect:
        directory = Path(connect.aeron.context.aeron_dir)
        assert (directory / "cnc.dat").is_file()
    assert not directory.exists()


@pytest.mark.parametrize("how", ["keyword", "property", "environment"])
@pytest.mark.parametrize("connect", [AeronCluster.connect, SurvivingClient.connect])
def test_a_directory_without_a_driver_is_an_error_at_once(tmp_path, monkeypatch, how, connect):
    monkeypatch.delenv("AERON_DIR", raising=False)
    options = {"aeron_dir": tmp_path} if how == "keyword" else {}
    properties = {"aeron.dir": str(tmp_path)} if how == "property" else None
    if how == "environment":
        monkeypatch.setenv("AERON_DIR", str(tmp_path))
    remedy = rf"no media driver in {tmp_path}: .*aeron-cluster driver --dir {tmp_path}"
    with pytest.raises(DriverTimeoutError, match=remedy):
        connect(MEMBER, properties=properties, **options)


@pytest.mark.parametrize("connect", [AeronCluster.connect, SurvivingClient.connect])
@pytest.mark.parametrize(
    "endpoints",
    ["localhost", "localhost:9001;localhost:9011", "localhost:9001,", "localhost:port", "a:1 b:2"],
)
def test_endpoints_without_ports_or_commas_are_rejected(connect, endpoints):
    text = re.escape(f"endpoints: expected host:port[,host:port], found '{endpoints}'")
    with pytest.raises(ConfigurationError, match=text):
        connect(endpoints)


def test_endpoints_may_have_blanks_and_ipv6_addresses():
    found = context(ingress_endpoints="[::1]:9001, [fe80::1%lo]:9011,node-0.local:9021")
    assert found.ingress_endpoints == "0=[::1]:9001,1=[fe80::1%lo]:9011,2=node-0.local:9021"


def left_by_a_killed_driver(directory, age_ms, *, is_owner_known=False, namespace=0):
    """Create the directory of an ended process, with a heartbeat of the given age.

    The owner's file is that of our drivers; its namespace is another one's if a number is given.
    """
    ended = subprocess.Popen(["true"])
    ended.wait(30)
    driver = FakeDriver(directory, pid=ended.pid)
    driver.ring.consumer_heartbeat_ms = SystemClock().epoch_ms() - age_ms
    if is_owner_known:
        owner = replace(SystemProcesses().own_identity(), pid=ended.pid)
        if namespace:
            owner = replace(owner, namespace=namespace)
        (directory / f"owner-{(struct.pack('<q', owner.pid) + owner.pack()).hex()}").touch()
    return ended.pid


@pytest.mark.parametrize(("age_ms", "is_owner_known"), [(5_500, False), (0, True), (60_000, False)])
@pytest.mark.parametrize("connect", [AeronCluster.connect, SurvivingClient.connect])
def test_the_directory_of_a_killed_driver_is_an_error_at_once(
    shm_dir, connect, age_ms, is_owner_known
):
    directory = shm_dir / "driver"
    pid = left_by_a_killed_driver(directory, age_ms, is_owner_known=is_owner_known)
    what = rf"no media driver in {directory} \(that of process {pid} has ended\): start one"
    with pytest.raises(DriverTimeoutError, match=what):
        connect(MEMBER, aeron_dir=directory)


@pytest.mark.parametrize(
    ("heartbeat_ms", "found"),
    [(-1, "was closed"), (60_000, r"has been silent for 6\d\.\d s"), (3_000, None), (0, None)],
)
def test_the_heartbeat_decides_about_an_existing_process(shm_dir, heartbeat_ms, found):
    driver = FakeDriver(shm_dir / "driver", pid=os.getpid())
    if heartbeat_ms > 0:
        heartbeat_ms = SystemClock().epoch_ms() - heartbeat_ms
    driver.ring.consumer_heartbeat_ms = heartbeat_ms
    named = context(aeron_dir=shm_dir / "driver")
    if found is None:  # it runs, or is starting
        check_driver(named)
    else:
        with pytest.raises(DriverTimeoutError, match=found):
            check_driver(named)


def test_a_starting_driver_is_awaited(shm_dir):
    check_driver(context(aeron_dir=left_recently(shm_dir / "elsewhere")))
    (shm_dir / "cnc.dat").write_bytes(bytes(4096))
    check_driver(context(aeron_dir=shm_dir))
    (shm_dir / "cnc.dat").write_bytes(b"")
    check_driver(context(aeron_dir=shm_dir))


def test_damaged_driver_directory_is_named_by_the_connect(shm_dir, monkeypatch):
    monkeypatch.setenv("AERON_DRIVER_TIMEOUT", "5ms")
    FakeDriver(shm_dir / "driver")
    path = shm_dir / "driver" / "cnc.dat"
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, 4, 7)  # the length of the command ring
    path.write_bytes(content)
    named = context(aeron_dir=shm_dir / "driver")
    check_driver(named)  # it may be unfinished
    with pytest.raises(CorruptError, match=re.escape(str(path))):
        AeronCluster.async_connect(MEMBER, aeron_dir=shm_dir / "driver")


def test_host_without_an_address_is_no_destination_of_egress():
    network = SimpleNamespace(resolve=lambda _: [])
    aeron = SimpleNamespace(
        context=SimpleNamespace(seams=SimpleNamespace(network=network)), is_closed=False
    )
    with pytest.raises(ConfigurationError, match=r"egress_channel: .* since cluster has no addr"):
        ClusterClientContext.of(ingress_endpoints="0=cluster:9001", aeron=aeron)


def test_a_driver_of_another_container_is_judged_by_its_heartbeat(shm_dir):
    for age_ms, found in ((9_000, None), (11_000, r"has been silent for 1\d\.\d s")):
        directory = shm_dir / f"{age_ms}"
        left_by_a_killed_driver(directory, age_ms, is_owner_known=True, namespace=7)
        if found is None:
            check_driver(context(aeron_dir=directory))
        else:
            with pytest.raises(DriverTimeoutError, match=found):
                check_driver(context(aeron_dir=directory))


def left_recently(directory):
    """Create a directory whose process is unknown here: it may run in another container."""
    left_by_a_killed_driver(directory, 500)
    return directory


def test_repeated_endpoints_are_rejected():
    with pytest.raises(ConfigurationError, match="ingress_endpoints"):
        SurvivingClient.start(MEMBER, ingress_endpoints=MEMBER)
    with pytest.raises(ConfigurationError, match="ingress_endpoints"):
        AeronCluster.connect(MEMBER, ingress_endpoints=MEMBER)


def test_the_error_handler_is_that_of_the_clients_own_transport_client(monkeypatch, shm_dir):
    FakeDriver(shm_dir / "driver")
    seen = []

    def connect(**options):
        seen.append(options["error_handler"])
        raise DriverTimeoutError("none")

    monkeypatch.setattr(cluster_client.Aeron, "connect", connect)
    handler = seen.append
    with pytest.raises(DriverTimeoutError):
        AeronCluster.async_connect(MEMBER, aeron_dir=shm_dir / "driver", error_handler=handler)
    assert seen == [handler]


def test_repeated_errors_without_a_handler_are_logged_a_few_times_and_counted(caplog):
    handler = context(ingress_endpoints=MEMBER).error_handler
    for _ in range(10):
        handler(ValueError("late"))
    assert [each.getMessage() for each in caplog.records] == ["late"] * 3
