"""``aeron-cluster doctor``: the findings about a machine, and their remedies."""

import errno
import json
import shutil
import socket
from dataclasses import replace

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.doctor import doctor as command
from aeron_cluster.cli.doctor.findings import Verdict, examine
from aeron_cluster.cli.doctor.layout import recommend
from aeron_cluster.cli.doctor.machine import Machine, SharedMemory, loopback_problem
from aeron_cluster.cli.main import main
from tests.conftest import IN_SOURCE_TREE
from tests.pages import block_of, shape

MIB = 1024 * 1024
CPU = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max open files            {files:<20} {hard:<20} files
Max locked memory         unlimited            unlimited            bytes
"""
# A machine without a problem.
FILES = {
    "proc/cpuinfo": "model name\t: A Fast One\nflags\t\t: fpu\n",
    "proc/cmdline": "quiet isolcpus=2,3\n",
    "proc/meminfo": "HugePages_Total:      16\nSwapTotal:       0 kB\n",
    "proc/loadavg": "0.10 0.20 0.30 1/2 3\n",
    "proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-3\n",
    "proc/self/limits": LIMITS.format(files=65536, hard="unlimited"),
    "proc/sys/net/core/rmem_max": "4194304\n",
    "proc/sys/net/core/wmem_max": "4194304\n",
    f"{CPU}/isolated": "2-3\n",
    f"{CPU}/smt/active": "0\n",
    f"{CPU}/cpu0/cpufreq/scaling_governor": "performance\n",
    f"{CPU}/vulnerabilities/meltdown": "Not affected\n",
    f"{CLOCK}/current_clocksource": "tsc\n",
    f"{CLOCK}/available_clocksource": "tsc hpet\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/fs/cgroup/cpu.max": "max 100000\n",
}


def machine(tmp_path, changes=None):
    """Return a machine with these files and much shared memory; None removes a file."""
    for name, text in {**FILES, **(changes or {})}.items():
        if text is not None:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    found = Machine.read(tmp_path)
    assert found.shared_memory is None  # dev/shm is missing
    return replace(found, shared_memory=SharedMemory(4096 * MIB, 4096 * MIB))


def named(findings, name):
    (found,) = (each for each in findings if each.name == name)
    return found


def test_a_good_machine_has_only_good_findings(tmp_path):
    found = machine(tmp_path)
    assert found.cpus == (0, 1, 2, 3)
    assert found.isolated_cpus == {2, 3}
    assert found.open_files == (65536, -1)
    assert found.cpu_quota is None
    findings = examine(found, None)
    assert [each.name for each in findings if each.verdict is not Verdict.OK] == []
    assert all(not each.effect and not each.remedy for each in findings)


@pytest.mark.parametrize(
    ("changes", "name", "verdict", "found", "remedy"),
    [
        (
            {"sys/fs/cgroup/cpu.max": "150000 100000"},
            "cores",
            "slower",
            "a quota of 1.5",
            "docker update",
        ),
        (
            {
                "sys/fs/cgroup/cpu.max": None,
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            "cores",
            "slower",
            "a quota of 0.5",
            "docker update",
        ),
        ({"proc/self/status": "Cpus_allowed_list:\t2\n"}, "cores", "slower", "1 x A Fast", ""),
        (
            {"proc/cpuinfo": "flags\t: fpu hypervisor\n"},
            "virtual machine",
            "slower",
            "yes",
            "",
        ),
        ({f"{CPU}/smt/active": "1\n"}, "hardware threads", "slower", "on", "smt/control"),
        ({f"{CPU}/isolated": "\n"}, "isolation", "slower", "isolcpus=2,3", "isolcpus=2-3"),
        (
            {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"},
            "governor",
            "slower",
            "powersave",
            "scaling_governor",
        ),
        ({"proc/loadavg": "3.50 1 1 1/1 1"}, "load", "slower", "3.50", "top"),
        ({f"{CLOCK}/current_clocksource": "hpet"}, "clock source", "slower", "hpet", "echo tsc"),
        (
            {
                f"{CLOCK}/current_clocksource": "hpet",
                f"{CLOCK}/available_clocksource": "hpet acpi_pm",
            },
            "clock source",
            "slower",
            "hpet",
            "",
        ),
        (
            {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"},
            "huge pages",
            "slower",
            "always, 16 reserved",
            "echo madvise",
        ),
        ({"proc/meminfo": "SwapTotal:  1024 kB\n"}, "swap", "slower", "1.0 MiB", "swapoff"),
        (
            {"proc/sys/net/core/rmem_max": "212992"},
            "receive buffers",
            "slower",
            "208.0 KiB",
            "sysctl -w net.core.rmem_max=2097152",
        ),
        (
            {"proc/sys/net/core/rmem_max": "65536"},
            "receive buffers",
            "fails",
            "64.0 KiB",
            "net.core.rmem_max",
        ),
        (
            {"proc/sys/net/core/wmem_max": "65536"},
            "send buffers",
            "slower",
            "64.0 KiB",
            "net.core.wmem_max",
        ),
        (
            {"proc/self/limits": LIMITS.format(files=1024, hard=65536)},
            "open files",
            "slower",
            "1,024",
            "ulimit -n 4096",
        ),
        (
            {"proc/self/limits": LIMITS.format(files=256, hard=512)},
            "open files",
            "fails",
            "256",
            "prlimit",
        ),
    ],
)
def test_each_problem_is_named_with_its_remedy(tmp_path, changes, name, verdict, found, remedy):
    findings = examine(machine(tmp_path, changes), None)
    seen = named(findings, name)
    assert seen.verdict.value == verdict
    assert found in seen.found
    assert seen.effect
    assert remedy in seen.remedy
    assert bool(seen.remedy) == bool(remedy)
    # It is the only finding.
    others = {each.name for each in findings if each.verdict is not Verdict.OK} - {name}
    assert others <= {"isolation"}  # a machine without isolated processors has it too


@pytest.mark.parametrize(
    ("shared", "verdict"),
    [
        (None, "fails"),
        (SharedMemory(64 * MIB, 64 * MIB), "fails"),
        (SharedMemory(2048 * MIB, 512 * MIB), "slower"),
        (SharedMemory(2048 * MIB, 2048 * MIB), "ok"),
    ],
)
def test_little_shared_memory_prevents_a_node_from_starting(tmp_path, shared, verdict):
    found = named(examine(replace(machine(tmp_path), shared_memory=shared), None), "shared memory")
    assert found.verdict.value == verdict
    assert ("size=2g" in found.remedy) == (verdict != "ok")


def test_missing_information_is_no_problem(tmp_path):
    found = replace(Machine.read(tmp_path), shared_memory=SharedMemory(4096 * MIB, 4096 * MIB))
    names = {each.name for each in examine(found, None) if each.verdict is not Verdict.OK}
    assert names <= {"isolation", "cores"}


def test_a_firewall_on_loopback_prevents_a_cluster_from_working(tmp_path):
    found = named(examine(machine(tmp_path), "a datagram did not arrive"), "loopback")
    assert found.verdict is Verdict.FAILS
    assert "iptables -I INPUT -i lo" in found.remedy


def test_a_datagram_arrives_on_loopback():
    assert loopback_problem() is None


@pytest.mark.parametrize(
    ("cpus", "isolated", "quota", "expected"),
    [
        ([0], [], None, ["--threads one --idle backoff"]),
        ([1, 0], [], None, ["--threads one --idle backoff"]),
        ([1, 0], [1], None, ["--threads one --idle spin --cpus 1"]),
        ([1, 2, 3, 0], [], None, ["--threads one --idle spin --cpus 1"]),
        ([1, 2, 3, 0], [], 1.5, ["--threads one --idle backoff"]),
        (
            [*range(1, 10), 0],
            [],
            None,
            [
                "--threads one --idle spin --cpus 1",
                "--threads each --idle spin --cpus 1,2,3,4,5,6,7,8",
            ],
        ),
    ],
)
def test_the_layout_fits_the_processors(cpus, isolated, quota, expected):
    found = recommend(cpus, frozenset(isolated), quota)
    assert [each.arguments for each in found] == expected


def run(monkeypatch, found, *arguments, loopback=None):
    monkeypatch.setattr(command.Machine, "read", classmethod(lambda _cls: found))
    monkeypatch.setattr(command, "loopback_problem", lambda: loopback)
    return CliRunner().invoke(main, ["doctor", *arguments])


def test_the_exit_code_shows_whether_a_node_would_work(tmp_path, monkeypatch):
    good = machine(tmp_path)
    slow = replace(good, governors=("powersave",))
    assert run(monkeypatch, good, "--strict").exit_code == 0
    assert run(monkeypatch, slow).exit_code == 0
    assert run(monkeypatch, slow, "--strict").exit_code == 1
    assert run(monkeypatch, good, loopback="it did not arrive").exit_code == 1


def test_text_and_json_have_the_same_findings(tmp_path, monkeypatch):
    slow = replace(machine(tmp_path), governors=("powersave",))
    shown = run(monkeypatch, slow).output
    assert "slower" in shown
    assert "$ echo performance | sudo tee /sys/devices" in shown
    assert "aeron-cluster node --threads one --idle spin --cpus 2" in shown
    found = json.loads(run(monkeypatch, slow, "--json").output)
    (wrong,) = (each for each in found["findings"] if each["verdict"] != "OK")
    assert (wrong["name"], wrong["found"]) == ("governor", "powersave")
    assert found["layouts"][0]["arguments"] == "--threads one --idle spin --cpus 2"
    assert found["machine"]["isolated_cpus"] == [2, 3]


@IN_SOURCE_TREE
def test_the_page_shows_what_is_printed(tmp_path, monkeypatch):
    shown = block_of("docs/operating.md", "$ aeron-cluster doctor").text.splitlines()[1:]
    slow = replace(machine(tmp_path), governors=("powersave",))
    lines = [shape(line) for line in run(monkeypatch, slow).output.splitlines()]
    governor = lines.index("slower governor powersave")
    head = shape(shown[0]).partition(" N x ")[0]
    assert lines[governor - 1].startswith(("ok ", "slower "))
    assert any(line.startswith(head) for line in lines)
    assert lines[governor : governor + 3] == [shape(line) for line in shown[1:4]]
    assert shown[4] == "..."
    end = lines.index(shape(shown[5]))
    assert lines[end + 1] == shape(shown[6])


class Lost(socket.socket):
    """A socket whose datagrams are dropped, as by a firewall."""

    def sendto(self, data, _address):
        return len(data)


class Forbidden(socket.socket):
    def sendto(self, _data, _address):
        raise PermissionError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize(
    ("kind", "problem"),
    [(Lost, "did not arrive"), (Forbidden, "failed: Operation not permitted")],
)
def test_datagrams_that_do_not_arrive_are_a_problem(monkeypatch, kind, problem):
    monkeypatch.setattr("aeron_cluster.cli.doctor.machine.socket.socket", kind)
    monkeypatch.setattr("aeron_cluster.cli.doctor.machine._PROBE_TIMEOUT_S", 0.01)
    assert loopback_problem() == f"a datagram to 127.0.0.1 {problem}"


def test_shared_memory_and_an_unknown_list_of_processors_are_read(tmp_path):
    (tmp_path / "dev/shm").mkdir(parents=True)
    for name, text in {**FILES, f"{CPU}/isolated": "some of them\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = Machine.read(tmp_path)
    length = shutil.disk_usage(tmp_path).total
    assert found.shared_memory.length == length
    assert 0 < found.shared_memory.free <= length
    assert not found.isolated_cpus
