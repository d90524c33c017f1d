"""Our commands for a driver compared with Java's samples (AeronStat and others)."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from aeron_cluster.cli.main import main
from aeron_cluster.client import Aeron
from aeron_cluster.driver import MediaDriver
from tests.waiting import await_true

CHANNEL = "aeron:ipc?term-length=64k"


def run_json(*arguments):
    words = [str(each) for each in arguments]
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == 0, f"{words}: {done.exit_code}\n{done.output}"
    return json.loads(done.stdout)


@pytest.fixture(params=["java", "ours"])
def directory(request, java, shm_dir):
    """Return the directory of an idle driver with a stream of three messages."""
    place = str(shm_dir / "driver")
    if request.param == "java":
        peer = java.start("Driver", dir=place)
        peer.await_event("READY")
        end = peer.stop
    else:
        end = MediaDriver.launch(aeron_dir=place, threading_mode="SHARED").close
    with Aeron.connect(aeron_dir=place) as aeron:
        subscription = aeron.add_subscription(CHANNEL, 10)
        publication = aeron.add_publication(CHANNEL, 10)
        for _ in range(3):
            await_true(lambda: publication.offer(b"hello") > 0, "a message")
        await_true(lambda: subscription.poll(lambda *_: None, 10) > 0, "a message")
        counters = aeron.counters_reader
        await_true(
            lambda: any(each.value == 192 for each in counters.counters(12)), "the sampled position"
        )
        yield place
    end()


def test_both_tools_report_the_same_about_a_driver(java, directory):
    def sample(name, *arguments, code=0):
        return java.tool(f"samples.{name}", *arguments, code=code, aeron_dir=directory)

    # streams: name, registration id and value of each counter.
    _, line = sample("StreamStat").splitlines()
    (stream,) = run_json("streams", directory)["streams"]
    head, _, rest = line.partition(" :")
    assert head == (
        f"sessionId={stream['session_id']} streamId={stream['stream_id']}"
        f" channel={stream['channel']}"
    )
    shown = [
        f"{each['name']}:{each['registration_id']}:{each['value']}" for each in stream["positions"]
    ]
    assert rest == "".join(f" {each}" for each in shown)
    # backlog
    printed = sample("BacklogStat")
    (backlog,) = run_json("backlog", directory)["streams"]
    assert f"for publisher {backlog['publisher_id']} " in printed
    assert f"position is {backlog['publisher_position']} " in printed
    assert f"(~{backlog['publisher_window']} bytes before back-pressure)" in printed
    # stat with a filter: ids and labels
    for ours, theirs in (
        (["--type", "^(1|4|12)$"], ["type=^(1|4|12)$"]),
        (["--stream", "10", "--type", "^1"], ["stream=^10$", "type=^1"]),
        (["--stream", "11", "--type", "^[1-5]$"], ["stream=^11$", "type=^[1-5]$"]),
        (["--channel", "term-length=128k"], ["channel=term-length=128k"]),
    ):
        printed = sample("AeronStat", "watch=false", *theirs)
        expected = re.findall(r"^ *(\d+): +[\d,.-]+ - (.*)$", printed, re.MULTILINE)
        found = run_json("stat", directory, *ours)["counters"]
        assert [(str(each["id"]), each["label"]) for each in found] == expected
    # the process, and the loss report, which is empty
    pid = run_json("driver", "pid", directory)["pid"]
    assert int(sample("DriverTool", "pid")) == pid
    assert "0 loss entries" in sample("LossStat")
    assert run_json("loss", directory)["entries"] == []
    # the content of the log
    (path,) = Path(directory, "publications").glob("*.logbuffer")
    seen = run_json("log", path)
    printed = sample("LogInspector", path)
    assert f"Initial term id: {seen['initial_term_id']}" in printed
    assert f"   MTU length: {seen['mtu_length']}" in printed
    for term in seen["terms"]:
        assert (
            f"Index {term['index']} Term Meta Data termOffset={term['tail_offset']}"
            f" termId={term['term_id']} "
        ) in printed
    payloads = [frame["payload"] for frame in seen["terms"][0]["frames"]]
    assert payloads == [b"hello".hex()] * 3
    assert printed.count(payloads[0].upper()) == 3
