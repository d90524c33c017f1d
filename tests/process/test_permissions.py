"""The owner and the permissions of a node's files."""

import contextlib
import os
import stat
from pathlib import Path

import pytest

from aeron_cluster.cluster.state.control_toggle import ControlToggle
from aeron_cluster.memory.system.seams import GroupFiles, Seams
from tests.process.test_node_layouts import Counting, launch, send_request
from tests.waiting import await_true

__all__ = ["launch"]

CONTROL_TOGGLE, SNAPSHOT_COUNT = 202, 205


class Remembering(Counting):
    def on_take_snapshot(self, publication):
        while not publication.offer(b"%d" % self.count):
            self.cluster.idle()


def counter(node, type_id):
    return next(each for each in node.driver.counters.counters() if each.type_id == type_id)


def made_by_a_node(launch, tmp_path, umask, **options):
    """Return the mode of every file of a node that has taken a snapshot, by path."""
    before = os.umask(umask)
    try:
        with launch(Remembering(), **options) as node:
            assert send_request(node, 3) == [1, 2, 3]
            toggle = counter(node, CONTROL_TOGGLE)
            node.driver.counters.set_value(toggle.counter_id, ControlToggle.SNAPSHOT)
            await_true(lambda: counter(node, SNAPSHOT_COUNT).value == 1, "a snapshot")
            places = (tmp_path / "data", Path(node.driver.aeron_dir))
            found = {}
            for path in [path for place in places for path in (place, *place.rglob("*"))]:
                with contextlib.suppress(FileNotFoundError):  # deleted by the driver meanwhile
                    found[path] = path.lstat()
            return found
    finally:
        os.umask(before)


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_all_files_of_a_node_are_private_to_its_owner(launch, tmp_path, umask):
    found = made_by_a_node(launch, tmp_path, umask)
    modes = {(stat.S_ISDIR(each.st_mode), stat.S_IMODE(each.st_mode)) for each in found.values()}
    assert modes == {(True, 0o700), (False, 0o600)}
    names = {path.name for path in found}
    # All kinds are included: the files of driver, archive, module and service.
    assert {"cnc.dat", "publications", "images", "loss-report.dat"} <= names
    assert {"archive.catalog", "archive-mark.dat", "recording.log", "node-state.dat"} <= names
    assert {"cluster-mark.dat", "cluster-mark-service-0.dat"} <= names
    assert any(name.endswith(".rec") for name in names)
    assert any(name.endswith(".logbuffer") for name in names)


def test_a_node_can_be_opened_to_a_group(launch, tmp_path):
    group = max(os.getgroups() or [os.getgid()])
    found = made_by_a_node(launch, tmp_path, 0o077, seams=Seams(files=GroupFiles(str(group))))
    modes = {(stat.S_ISDIR(each.st_mode), stat.S_IMODE(each.st_mode)) for each in found.values()}
    assert modes == {(True, 0o2770), (False, 0o660)}
    assert {each.st_gid for each in found.values()} == {group}
