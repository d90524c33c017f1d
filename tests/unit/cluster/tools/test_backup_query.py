"""The time of a backup's next query."""

import re

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.cluster.tools.backup_query import next_backup_query_ms
from aeron_cluster.cluster.tools.cluster_directory import ClusterDirectory
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.errors import ConfigurationError, MissingFileError, StateError
from aeron_cluster.memory.system.seams import SystemClock

NEXT_QUERY = 210


@pytest.fixture
def backup(member, driver):
    assert driver.aeron_dir == str(member.aeron_dir)
    member.mark(ClusterComponentType.BACKUP, member_id=-1)
    return member


def send_request(member, delay_ms=None):
    return next_backup_query_ms(ClusterDirectory(str(member.directory)), delay_ms)


def test_shows_and_sets_when_a_backup_queries(backup):
    counter = backup.count(NEXT_QUERY, 1_700_000_000_000)
    assert send_request(backup) == 1_700_000_000_000
    begin = SystemClock().epoch_ms()
    changed = send_request(backup, 30_000)
    assert begin + 30_000 <= changed <= SystemClock().epoch_ms() + 30_000
    assert counter.get() == changed == send_request(backup)


def test_next_query_is_printed_as_a_time(backup):
    backup.count(NEXT_QUERY, 1_700_000_000_000)
    done = CliRunner().invoke(main, ["backup-query", str(backup.directory)])
    assert done.exit_code == 0, done.output
    assert re.fullmatch(r"next query: 2023-11-1\d \d\d:\d\d:20\n", done.output)


def test_too_long_delay_is_rejected(backup):
    counter = backup.count(NEXT_QUERY, 1)
    with pytest.raises(ConfigurationError, match="delay"):
        send_request(backup, 2**63)
    assert counter.get() == 1


def test_a_backup_without_a_query_deadline_is_reported(backup):
    with pytest.raises(StateError, match="has no time of its next query"):
        send_request(backup)


def test_another_component_is_rejected_as_a_backup(member):
    member.mark()
    with pytest.raises(StateError, match="found CONSENSUS_MODULE"):
        send_request(member)


def test_a_backup_without_a_driver_is_reported(member):
    member.mark(ClusterComponentType.BACKUP)
    with pytest.raises(MissingFileError, match="driver is not running"):
        send_request(member)
