"""Elections as in the document of that name, between members with model logs and network."""

from pathlib import Path

import pytest

from tests.scenarios.transcript import FOLDER, run
from tests.unit.cluster.election_rig import MS, Cluster, Disk

SCENARIOS = sorted((FOLDER / "elections").glob("*.txt"))


def disk(terms: str) -> Disk:
    """A log's terms with their ends, ``0:2848,1:4064``; ``0:1312+`` is open."""
    made = Disk()
    for part in filter(None, terms.split(",")):
        term, end = part.split(":")
        begin = made.end
        made.append(int(term), begin, int(end.rstrip("+")))
        made.terms[int(term)] = (begin, -1 if end.endswith("+") else made.end)
        made.candidate_term_id = int(term)
    return made


class Scenario:
    """The commands of a transcript, and the members' reports."""

    def __init__(self):
        self.cluster: Cluster | None = None
        self.watched = ""
        self.seen = 0

    def __call__(self, name, words):
        getattr(self, f"do_{name}")(**words)
        reported = self.cluster.reported[self.seen :]
        self.seen = len(self.cluster.reported)
        shown = []
        for line in reported:
            if self._is_shown(line) and line not in shown:
                shown.append(line)
        return shown

    def _is_shown(self, line):
        return not self.watched or any(
            line.startswith(f"{each} ") or f" to {each}: " in f" {line}" for each in self.watched
        )

    def do_members(self, count="3", seed="0", **logs):
        disks = [disk(logs.get(f"log{each}", "").replace(";", ",")) for each in range(int(count))]
        self.cluster = Cluster(int(count), int(seed), disks)

    def do_start(self, member):
        for each in member.split(","):
            self.cluster.nodes[int(each)].start()

    def do_kill(self, member):
        self.cluster.nodes[int(member)].kill()

    def do_services(self, member, are):
        """Set whether services are `behind`, in the log of the term before, or `ready`."""
        self.cluster.nodes[int(member)].are_services_behind = {"behind": True, "ready": False}[are]

    def do_publication(self, member, passes):
        """Set how many passes a member needs to add its log publication."""
        self.cluster.nodes[int(member)].publication_passes = int(passes)

    def do_watch(self, member):
        """Show only reports about these members."""
        self.watched = member

    def do_cut(self, of):
        source, target = map(int, of.split("-"))
        self.cluster.cut |= {(source, target), (target, source)}

    def do_heal(self):
        self.cluster.cut.clear()

    def do_step(self, bytes):  # noqa: A002 - a word of the transcripts
        """Set how much of a log is copied in a pass."""
        self.cluster.step = int(bytes)

    def do_append(self, member, to):
        node = self.cluster.nodes[int(member)]
        node.disk.append(node.host.term_id, node.disk.end, int(to))

    def do_run(self, ms):
        self.cluster.run(int(ms), MS)

    def do_until(self, leads="", follows="", text=""):
        """Run until a member leads or follows, or a text is reported."""
        cluster, begin = self.cluster, len(self.cluster.reported)

        def is_reached():
            if leads:
                return cluster.nodes[int(leads)].leads
            if follows:
                host = cluster.nodes[int(follows)].host
                return host.election is None
            return any(text in line for line in cluster.reported[begin:])

        cluster.run_until(is_reached)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_elections_match_their_transcripts(path: Path, rewrite):
    run(path, Scenario(), rewrite=rewrite)
