"""``aeron-cluster page``: failures to serve, and the view of a missing member."""

import socket
import sys
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main

pytest.importorskip("starlette")

from aeron_cluster.cli.page import view as page_view
from aeron_cluster.cli.page.view import PageView
from aeron_cluster.cluster.election.election_state import ElectionState
from aeron_cluster.cluster.state.mark_file import ClusterMarkFile, MarkFileContent
from aeron_cluster.codecs.cluster_mark import ClusterComponentType
from aeron_cluster.memory.system.seams import SystemClock, SystemFiles
from tests.unit.cli.test_status import member


def test_a_port_in_use_ends_with_3_and_the_option():
    with socket.create_server(("127.0.0.1", 0)) as other:
        endpoint = f"127.0.0.1:{other.getsockname()[1]}"
        done = CliRunner().invoke(main, ["page", "nowhere", "--listen", endpoint])
    assert done.exit_code == 3
    assert f"{endpoint}/tcp (--listen) is in use" in done.stderr


def test_without_the_packages_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    done = CliRunner().invoke(main, ["page", "nowhere", "--listen", "127.0.0.1:0"])
    assert done.exit_code == 3
    assert "pip install 'aeron-cluster[page]'" in done.stderr


def test_a_member_that_never_ran_is_shown_with_the_reason(tmp_path):
    view = PageView([str(tmp_path / "nowhere")])
    state = view.state()
    (member,) = state["members"]
    assert "expected a cluster directory" in member["state"]
    assert (state["leader"], state["latency"], member["behind"]) == (None, {}, None)
    assert view.log() == {"rows": [], "problem": "no member has a log"}


def test_page_for_other_machines_is_served_with_a_warning(monkeypatch):
    monkeypatch.setattr("aeron_cluster.cli.page.app.serve", lambda *_, **__: None)
    for listen, is_warned in (("127.0.0.1:0", False), ("0.0.0.0:0", True)):
        done = CliRunner().invoke(main, ["page", "nowhere", "--listen", listen])
        assert done.exit_code == 0, done.output
        assert ("anyone who reaches this port can read the page" in done.stderr) == is_warned


def test_stopped_member_without_an_archive_has_a_log_with_a_problem(tmp_path):
    directory = tmp_path / "cluster"
    directory.mkdir()
    content = MarkFileContent(
        component_type=ClusterComponentType.CONSENSUS_MODULE, member_id=4, aeron_directory="driver"
    )
    with ClusterMarkFile.claim(SystemFiles(), str(directory), content, clock=SystemClock()) as mark:
        mark.signal_ready()
    shown = PageView([str(directory)]).log()
    assert shown["rows"] == []
    assert str(tmp_path) in shown["problem"]


def test_silent_and_electing_members_are_shown_as_such():
    view = PageView([])
    silent = view._live(member(silent_ms=5_130))
    assert (silent["state"], silent["silent_s"]) == ("silent for 5 s", 5.1)
    electing = member()
    electing.live.election_state = ElectionState.CANDIDATE_BALLOT
    shown = view._live(electing)
    assert (shown["state"], shown["silent_s"]) == ("electing: candidate ballot", 0.0)
    assert view._live(member())["state"] == "active"


def test_leader_that_measures_no_latencies_has_none(tmp_path):
    assert PageView([])._latency({"aeron_dir": str(tmp_path)}) == {}
    (tmp_path / "cluster-latency.dat").write_bytes(bytes(4096))  # being created, or damaged
    assert PageView([])._latency({"aeron_dir": str(tmp_path)}) == {}


def test_many_browsers_cause_one_read(tmp_path, monkeypatch):
    looks = []
    read = page_view.read_status

    def counted(*arguments, **keywords):
        looks.append(arguments)
        return read(*arguments, **keywords)

    monkeypatch.setattr(page_view, "read_status", counted)
    (tmp_path / "cluster").mkdir()
    view = PageView([str(tmp_path)])
    assert len({id(view.state()) for _ in range(5)}) == 1
    assert len(looks) == 1


def test_bytes_of_a_payload_are_shown_as_text():
    row = {
        "position": 96,
        "message_type": "SessionMessage",
        "leadership_term_id": 0,
        "cluster_session_id": 1,
        "timestamp": datetime(2026, 1, 2, tzinfo=UTC),
        "committed": True,
        "payload": b"a\x00\n\xff" + b"x" * 500,
    }
    shown = page_view._row(row)
    assert shown["payload"].startswith("a\\x00\\x0a\\xffxxx")
    assert len(shown["payload"]) < 200
    assert shown["length"] == 504
    assert page_view._row({**row, "payload": None})["length"] is None
