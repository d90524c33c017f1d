"""A service that adds up each session's numbers; its state shows how much of the log it read."""

import struct

from aeron_cluster.cluster.service.clustered_service import ClusteredService

ENTRY = struct.Struct("<qqq")


class Tally(ClusteredService):
    def __init__(self):
        self.sums = {}

    def on_start(self, cluster, snapshot_image):
        self.cluster = cluster
        while snapshot_image is not None and not snapshot_image.is_end_of_stream:
            cluster.idle(snapshot_image.poll(self._load, 10))

    def _load(self, message, _):
        session_id, count, length = ENTRY.unpack_from(message)
        self.sums[session_id] = (count, length)

    def on_session_message(self, session, timestamp, message, header):  # noqa: ARG002
        session_id = -1 if session is None else session.id
        count, length = self.sums.get(session_id, (0, 0))
        if bytes(message) == b"fail":
            raise ZeroDivisionError("as the test demands")
        self.sums[session_id] = (count + 1, length + len(message))

    def on_take_snapshot(self, snapshot_publication):
        for session_id, values in sorted(self.sums.items()):
            while not snapshot_publication.offer(ENTRY.pack(session_id, *values)):
                self.cluster.idle()


class Fails(Tally):
    """Fails in one of its calls, chosen by the class."""

    def fail(self, what):
        if type(self).__name__ == f"Fails_{what}":
            raise ZeroDivisionError(f"in {what}")

    def __init__(self):
        self.fail("__init__")
        super().__init__()

    def on_start(self, cluster, snapshot_image):
        self.fail("on_start")
        super().on_start(cluster, snapshot_image)

    def on_take_snapshot(self, snapshot_publication):
        self.fail("on_take_snapshot")
        super().on_take_snapshot(snapshot_publication)


class Fails_on_start(Fails): ...  # noqa: N801 - named for the call


class Fails_on_take_snapshot(Fails): ...  # noqa: N801


class Fails___init__(Fails): ...  # noqa: N801


def sums(service):
    return {"sums": {str(name): list(values) for name, values in service.sums.items()}}


def fails_export(service):
    raise ZeroDivisionError(f"in export of {type(service).__name__}")


def no_number(_service):
    return {"mean": float("nan")}


def no_json(service):
    return service.sums.keys()


def keys_of_bytes(_service):
    return {b"session": 1}


def keys_of_tuples(_service):
    return {(1, 2): 3}


def has_itself(_service):
    found = {}
    found["found"] = found
    return found


def is_deep(_service):
    found = []
    for _ in range(100_000):
        found = [found]
    return found


def expected_sums(log, position):
    """Return the expected sums from a plain reading of the log."""
    found = {}
    for _, end, _, data in log.messages():
        schema_template = struct.unpack_from("<HHHH", data)
        if end > position or len(data) < 32 or schema_template[1] != 1:
            continue
        (session_id,) = struct.unpack_from("<q", data, 16)
        session_id = max(session_id, -1)
        count, length = found.get(session_id, (0, 0))
        found[session_id] = (count + 1, length + len(data) - 32)
    return found
