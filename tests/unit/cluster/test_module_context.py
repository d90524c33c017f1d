"""A consensus module's invalid options and derived values."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.context.module_context import ConsensusModuleContext
from aeron_cluster.cluster.context.timers import HeapTimers, WheelTimers
from aeron_cluster.cluster.security import SimpleAuthenticator, allow_all, deny_all
from aeron_cluster.cluster.security.file_authenticator import FileAuthenticator
from aeron_cluster.cluster.security.policy_file import PolicyFile
from aeron_cluster.cluster.security.users_file import PasswordHash
from aeron_cluster.codecs.channel_uri import ChannelUri
from aeron_cluster.codecs.cluster import ClusterTimeUnit
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import AccessFileError, ConfigurationError
from aeron_cluster.memory.system.seams import Seams
from aeron_cluster.simulator.world.memory_network import MemoryNetwork
from aeron_cluster.simulator.world.virtual_clock import VirtualClock

ENDPOINTS = "localhost:9002,localhost:9003,localhost:9004,localhost:9005,localhost:9001"
EPOCH_NS = 1_700_000_000_123_456_789


def context(properties=None, **changed):
    return ConsensusModuleContext.of(
        properties=properties,
        **{
            "cluster_members": f"0,{ENDPOINTS}",
            "ingress_channel": "aeron:udp",
            "replication_channel": "aeron:udp?endpoint=localhost:0",
            **changed,
        },
    )


def members(count):
    return "|".join(f"{member_id},{ENDPOINTS}" for member_id in range(count))


def at(epoch_ns=EPOCH_NS):
    return Seams(clock=VirtualClock(epoch_nanos=epoch_ns))


def test_knows_its_member_and_the_defaults():
    made = context()
    assert made.member.archive_endpoint == "localhost:9001"
    assert made.members == (made.member,)
    assert made.app_version == 1
    assert made.time_unit is ClusterTimeUnit.MILLIS
    assert made.agent_role_name == "consensus-module-0-0"
    assert context(cluster_id=7).agent_role_name == "consensus-module-7-0"
    assert context(consensus_module_agent_role_name="cm").agent_role_name == "cm"


@pytest.mark.parametrize(
    ("changed", "name", "reported"),
    [
        # The mark file and counters have 32 bits for it.
        ({"cluster_id": 2**31}, "cluster_id", "<= 2147483647, found 2147483648"),
        # "startup canvass timeout divided by HBT (integer division) must be at least 2"
        (
            {"startup_canvass_timeout_ns": "19s"},
            "aeron.cluster.startup.canvass.timeout",
            "at least twice the leader heartbeat timeout, 10s, found '19s'",
        ),
        (
            {"leader_heartbeat_timeout_ns": 0},
            "aeron.cluster.leader.heartbeat.timeout",
            "longer than 0",
        ),
        # "log channel must not carry init-term-id, term-id or term-offset"
        (
            {"log_channel": "aeron:udp?term-id=4|init-term-id=4|term-offset=0"},
            "aeron.cluster.log.channel",
            "no init-term-id",
        ),
        ({"log_channel": "aeron:udp?term-offset=0"}, "aeron.cluster.log.channel", "no term-offset"),
        (
            {"cluster_members": members(65)},
            "aeron.cluster.members",
            "at most 64, found '65 members'",
        ),
        (
            {"cluster_members": members(2), "replication_channel": ""},
            "aeron.cluster.replication.channel",
            "the channel of this member's catch-up",
        ),
        # A template is rejected immediately, not by an election that cannot create the log.
        ({"log_channel": "aeron:udp?term-length=65k"}, "term-length", "nearest: 64k"),
        ({"ingress_channel": "aeron:udp?mtu=wide"}, "mtu", "found 'wide'"),
        # A member queried there never answers, and would retain the whole log.
        ({"purge_backups": "d:9002,e"}, "aeron.cluster.purge.backups", "found 'e'"),
        *(
            (
                {"consensus_source_hosts": f"backup,{wrong}"},
                "aeron.cluster.consensus.source.hosts",
                f"found '{wrong}'",
            )
            for wrong in ("10.0.0.0/33", "a host", "d:9002")
        ),
        # "service count outside 0..10; 0 without extension; above 0 with extension"
        ({"service_count": 0}, "aeron.cluster.service.count", "1 to 10"),
        ({"service_count": 11}, "service_count", "<= 10"),
        (
            {"consensus_module_extension": "a.B"},
            "aeron.cluster.consensus.module.extension",
            "found 'a.B'",
        ),
        # "member endpoints given separately must equal those of the own entry"
        (
            {"member_endpoints": ENDPOINTS.replace("9003", "9999")},
            "aeron.cluster.member.endpoints",
            ENDPOINTS,
        ),
        # "local archive control request and response channels must both be IPC"
        (
            {"archive": {"control_channel": "aeron:udp?endpoint=localhost:8010"}},
            "aeron.archive.local.control.channel",
            "aeron:ipc",
        ),
        (
            {"archive": {"control_response_channel": "aeron:udp?endpoint=localhost:0"}},
            "aeron.archive.local.control.channel",
            "aeron:ipc",
        ),
        ({"member_id": 3}, "cluster member id", "one of 0"),
        ({"cluster_members": None}, "aeron.cluster.members", "of each member"),
        ({"cluster_members": "0,a,b"}, "cluster member", "id,ingress"),
        ({"ingress_channel": None}, "aeron.cluster.ingress.channel", "aeron:udp"),
        ({"replay_channel": "replay"}, "channel", "aeron:"),
        ({"clock": "a.Clock"}, "aeron.cluster.clock", "NanosecondClusterClock"),
        (
            {"timer_service_supplier": "tree"},
            "aeron.cluster.timer.service.supplier",
            "io.aeron.cluster.WheelTimerServiceSupplier",
        ),
        (
            {"authenticator_supplier_": "x"},
            "authenticator_supplier_",
            "did you mean authenticator_supplier?",
        ),
        ({"snapshots_kept": 1}, "aeron.cluster.snapshots.kept", "at least 2"),
        ({"ticks_per_wheel": 100}, "aeron.cluster.ticks.per.wheel", "a power of two"),
        ({"threading_mode": "DEDICATED"}, "threading_mode", "SHARED or INVOKER"),
        ({"app_version": 1 << 24}, "app_version", "a byte a part"),
        # "the supplied Aeron client must be in conductor-invoker mode"
        (
            {"aeron": SimpleNamespace(context=SimpleNamespace(use_conductor_invoker=False))},
            "aeron",
            "use_conductor_invoker",
        ),
    ],
)
def test_rejects_by_the_propertys_name(changed, name, reported):
    with pytest.raises(ConfigurationError) as raised:
        context(**changed)
    assert name in raised.value.name
    assert reported in str(raised.value)


@pytest.mark.parametrize(
    ("properties", "name"),
    [
        (
            {"aeron.cluster.authenticator.supplier": "a.Supplier"},
            "aeron.cluster.authenticator.supplier",
        ),
        (
            {"aeron.cluster.authorisation.service.supplier": "SOME"},
            "aeron.cluster.authorisation.service.supplier",
        ),
        ({"aeron.cluster.session.timeout": "soon"}, "aeron.cluster.session.timeout"),
    ],
)
def test_rejects_properties_likewise(properties, name):
    with pytest.raises(ConfigurationError) as raised:
        context(properties)
    assert raised.value.name == name


def test_nothing_is_taken_or_purged_by_default():
    options = context().options
    assert (options.snapshot_interval_ns, options.snapshots_kept) == (0, 0)
    requested = context(
        {"aeron.cluster.snapshot.interval": "3600s", "aeron.cluster.snapshots.kept": "3"},
        purge_backups="d:9501, e:9501",
    )
    assert requested.options.snapshot_interval_ns == 3600 * 10**9
    assert requested.options.snapshots_kept == 3
    assert requested.purge_backups == ["d:9501", "e:9501"]
    assert requested.consensus_source_hosts == ["d", "e"]


def test_hosts_of_backups_and_standbys_limit_the_purge():
    requested = context(
        {"aeron.cluster.consensus.source.hosts": "standby, 10.0.4.0/24"}, purge_backups="d:9501"
    )
    assert requested.consensus_source_hosts == ["standby", "10.0.4.0/24", "d"]


def test_accepts_the_shortest_allowed_canvass():
    made = context(startup_canvass_timeout_ns="2s", leader_heartbeat_timeout_ns="1s")
    assert made.options.startup_canvass_timeout_ns == 2_000_000_000


def test_accepts_own_endpoints_equal_to_the_lists():
    members = f"0,{ENDPOINTS},localhost:9006"
    made = context(cluster_members=members, member_endpoints=ENDPOINTS)
    assert made.member.archive_response_endpoint == "localhost:9006"


@pytest.mark.parametrize(
    ("clock", "unit", "time"),
    [
        (
            "io.aeron.cluster.MillisecondClusterClock",
            ClusterTimeUnit.MILLIS,
            EPOCH_NS // 1_000_000,
        ),
        ("io.aeron.cluster.NanosecondClusterClock", ClusterTimeUnit.NANOS, EPOCH_NS),
        ("micros", ClusterTimeUnit.MICROS, EPOCH_NS // 1_000),
        ("millis", ClusterTimeUnit.MILLIS, EPOCH_NS // 1_000_000),
        ("nanos", ClusterTimeUnit.NANOS, EPOCH_NS),
    ],
)
def test_returns_cluster_time_in_its_unit(clock, unit, time):
    made = context(clock=clock, seams=at())
    assert made.time_unit is unit
    assert made.cluster_time() == time
    assert made.epoch_ms() == EPOCH_NS // 1_000_000


@pytest.mark.parametrize(
    ("supplier", "kind"),
    [
        ("io.aeron.cluster.WheelTimerServiceSupplier", WheelTimers),
        ("io.aeron.cluster.PriorityHeapTimerServiceSupplier", HeapTimers),
        ("wheel", WheelTimers),
        ("heap", HeapTimers),
    ],
)
def test_makes_the_requested_kind_of_timers(supplier, kind):
    assert isinstance(context(timer_service_supplier=supplier).make_timers(), kind)


@pytest.mark.parametrize("clock", ["millis", "micros", "nanos"])
def test_the_wheels_ticks_are_in_the_clusters_unit(clock):
    made = context(clock=clock, seams=at(), wheel_tick_resolution_ns="8ms")
    timers = made.make_timers()
    per_ms = {"millis": 1, "micros": 1_000, "nanos": 1_000_000}[clock]
    now = made.cluster_time()
    timers.schedule(1, now + 20 * per_ms)
    fired = []
    assert timers.poll(now + 19 * per_ms, lambda each, _: fired.append(each) is None) == 0
    timers.poll(now + 40 * per_ms, lambda each, _: fired.append(each) is None)
    assert fired == [1]


def test_a_resolution_below_the_unit_is_one_tick():
    assert isinstance(context(wheel_tick_resolution_ns=1).make_timers(), WheelTimers)


def test_the_archives_client_has_its_own_stream_and_aliases():
    # "100*clusterId + 100 + 20", "cm-archive-ctrl-req-cluster-<clusterId>-member-<memberId>"
    signals = []
    made = context(cluster_id=3).archive_client_context(signals.append)
    assert made.control_stream_id == 10
    assert made.control_response_stream_id == 420
    assert made.recording_signal_handler == signals.append
    request = ChannelUri.parse(made.control_channel)
    response = ChannelUri.parse(made.control_response_channel)
    assert (request.media, request.get("term-length")) == ("ipc", "64k")
    assert request.get("alias") == "cm-archive-ctrl-req-cluster-3-member-0"
    assert response.get("alias") == "cm-archive-ctrl-resp-cluster-3-member-0"


def test_the_highest_cluster_id_has_a_stream_of_32_bits():
    # "100*clusterId + 100 + 20", of which Java uses 32 bits
    made = context(cluster_id=2**31 - 1).archive_client_context()
    assert made.control_response_stream_id == 100 * (2**31 - 1) + 120 - 50 * 2**32


def test_the_archives_client_accepts_properties_and_explicit_values():
    made = context(
        {
            "aeron.archive.local.control.channel": "aeron:ipc?term-length=128k|alias=mine",
            "aeron.archive.local.control.stream.id": "33",
            "aeron.archive.control.response.stream.id": "50",
            "aeron.archive.message.timeout": "7s",
        },
        archive={"message_retry_attempts": 9},
    ).archive_client_context()
    assert ChannelUri.parse(made.control_channel).get("term-length") == "128k"
    assert ChannelUri.parse(made.control_channel).get("alias") == "mine"
    assert (made.control_stream_id, made.control_response_stream_id) == (33, 150)
    assert made.message_timeout_ns == 7_000_000_000
    assert made.message_retry_attempts == 9


def test_the_mark_file_identifies_its_owner(tmp_path):
    made = context(
        cluster_id=2,
        cluster_dir=str(tmp_path / "a" / ".." / "cluster"),
        services_dir=str(tmp_path / "services"),
        aeron_dir="/dev/shm/aeron",
        authenticator_supplier=SimpleAuthenticator,
    )
    content = made.mark_file_content()
    assert content.component_type is ClusterComponentType.CONSENSUS_MODULE
    assert (content.cluster_id, content.member_id, content.service_id) == (2, 0, -1)
    assert (content.archive_stream_id, content.service_stream_id) == (10, 104)
    assert (content.consensus_module_stream_id, content.ingress_stream_id) == (105, 101)
    assert content.aeron_directory == "/dev/shm/aeron"
    assert content.control_channel == "aeron:ipc?term-length=128k"
    assert content.ingress_channel == "aeron:udp"
    assert content.authenticator.endswith("SimpleAuthenticator")
    assert content.services_cluster_dir == str(tmp_path / "services")
    assert made.cluster_dir == made.mark_file_dir == str(tmp_path / "cluster")
    assert context(mark_file_dir=str(tmp_path)).mark_file_dir == str(tmp_path)


def test_authorisation_service_follows_property_and_argument():
    assert context().authorisation_service(111, 77, None, b"")
    assert not context().authorisation_service(111, 26, None, b"")
    name = "aeron.cluster.authorisation.service.supplier"
    assert context({name: "ALLOW_ALL"}).authorisation_service is allow_all
    assert context({name: "DENY_ALL"}).authorisation_service is deny_all
    assert context({name: "x"}, authorisation_service=deny_all).authorisation_service is deny_all


# ---- files of users and permissions -----------------------------------------------------------


@pytest.fixture
def access(tmp_path):
    users, policy = tmp_path / "users", tmp_path / "policy"
    users.write_text(f"alice:{PasswordHash.of(b'secret', b'salt' * 4, log_cost=10)}\n")
    policy.write_text("alice: connect snapshot\n")
    return {"authenticator_file": str(users), "authorisation_file": str(policy)}


def test_files_define_who_may_connect_and_their_permissions(access):
    made = context(**access)
    authenticator = made.authenticator_supplier()
    assert isinstance(authenticator, FileAuthenticator)
    authenticator.close()
    assert isinstance(made.authorisation_service, PolicyFile)
    assert made.authorisation_service.may_connect(b"alice")
    # Its name is in the mark file; the path of the users file is not.
    assert made.mark_file_content().authenticator == (
        "aeron_cluster.cluster.security.file_authenticator.FileAuthenticatorSupplier"
    )
    named = {
        "aeron.cluster.authenticator.file": access["authenticator_file"],
        "aeron.cluster.authorisation.file": access["authorisation_file"],
    }
    assert isinstance(context(named).authorisation_service, PolicyFile)


def test_an_invalid_file_is_rejected_before_anything_starts(access, tmp_path):
    for name in access:
        with pytest.raises(AccessFileError, match="nowhere"):
            context(**{**access, name: str(tmp_path / "nowhere")})


def test_a_bad_file_is_reported_to_the_current_error_handler(access):
    clock = VirtualClock()
    made = context(seams=Seams(clock=clock), **access)
    authenticator = made.authenticator_supplier()
    observed = []
    made.error_handler = observed.append  # as the module does after it has created its error log
    for path in access.values():
        Path(path).write_text("no such line\n")
    clock.advance(2_000_000_000)
    authenticator.on_connect_request(1, b"alice:secret", clock.epoch_ms())
    authenticator.close()
    assert made.authorisation_service.may_connect(b"alice")
    assert [type(error) for error in observed] == [AccessFileError, AccessFileError]


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ({"authenticator_supplier": object}, "aeron.cluster.authenticator.file"),
        ({"authorisation_service": allow_all}, "aeron.cluster.authorisation.file"),
        ({"authorisation_service_supplier": "ALLOW_ALL"}, "aeron.cluster.authorisation.file"),
    ],
)
def test_file_and_supplier_of_one_kind_are_rejected(access, other, name):
    with pytest.raises(ConfigurationError, match=name):
        context(**access, **other)


def test_simulation_hashes_and_resolves_on_its_own_thread(access):
    simulated = Seams(clock=VirtualClock(), network=MemoryNetwork())
    authenticator = context(seams=simulated, **access).authenticator_supplier()
    authenticator.on_connect_request(1, b"alice:secret", 0)
    decided = []
    authenticator.on_connected_session(
        SimpleNamespace(session_id=1, authenticate=decided.append, reject=None), 0
    )
    assert decided == [b"alice"]
    addresses = context(seams=simulated).make_member_addresses(lambda: (0, 0))
    assert addresses.is_member("127.0.0.1:1")


def test_the_largest_cluster_is_accepted():
    assert len(context(cluster_members=members(64)).members) == 64


def test_errors_without_a_handler_are_logged(caplog):
    error = ConfigurationError("name", "something", "else")
    context().error_handler(error)
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("ERROR", str(error))
