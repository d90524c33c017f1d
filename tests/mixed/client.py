"""A client of a mixed run on our client; `tests.mixed.clients` describes its commands and events.

``python -m tests.mixed.client DIR [FOLDER]``: the driver's directory, and for a client whose
messages are sent and checked by C functions the folder with the built `native_streams`.
"""

import os
import sys
import time
from collections import deque

from aeron_cluster.client import Aeron, BufferClaim, FragmentAssembler
from aeron_cluster.errors import ClosedError
from aeron_cluster.memory.agents.agent import AgentInvoker
from aeron_cluster.memory.agents.idle_strategy import IdleStrategy
from tests.interop.our_services import emit
from tests.mixed.messages import Checks, encode, framed_length

_REPORT_INTERVAL_S = 0.5
_PAUSE_NS = 500_000


class Publisher:
    """A publication, and the number of its next message."""

    def __init__(self, publication, publisher, interval_us):
        self._publication = publication
        self._publisher = publisher
        self._interval_s = interval_us / 1e6
        self._previous_start = -1
        self._due_s = time.monotonic()
        self._claim = BufferClaim()
        self.sent = 0

    def publish(self, now_s):
        if now_s < self._due_s:
            return 0
        to = self._publication
        message = encode(self._publisher, self.sent, self._previous_start)
        if self.sent % 4 == 0 and len(message) <= to.max_payload_length:
            position = to.try_claim(len(message), self._claim)
            if position:
                self._claim.put(message)
                self._claim.commit()
        else:
            position = to.offer(message)
        if not position:
            return 0
        self._previous_start = position - framed_length(len(message), to.max_payload_length)
        self.sent += 1
        self._due_s = max(self._due_s, now_s - 10 * self._interval_s) + self._interval_s
        return 1

    def close(self):
        self._publication.close()


class Subscriber:
    """A subscription and its checks."""

    def __init__(self, is_reliable, notify):
        self._checks = Checks(is_reliable)
        self._notify = notify
        self._ended = deque()  # added by the conductor's thread
        self._assembler = FragmentAssembler(self._on_message)
        self._subscription = None

    def open(self, subscription):
        self._subscription = subscription

    def on_image(self, image):
        """Do nothing: an image knows its join position."""

    def on_image_end(self, image):
        self._ended.append((image.correlation_id, image.session_id))

    def _on_message(self, message, header):
        image = header.context
        self._checks.on_message(image.correlation_id, image.join_position, bytes(message))

    def poll(self):
        work = self._subscription.poll(self._assembler, 50)
        while self._ended:
            image, session_id = self._ended.popleft()
            self._notify(session_id, self._checks.on_image_end(image))
        return work

    def next_by_publisher(self):
        return self._checks.next_by_publisher()

    @property
    def message_count(self):
        return self._checks.message_count

    @property
    def byte_count(self):
        return self._checks.byte_count

    @property
    def gap_count(self):
        return self._checks.gap_count

    @property
    def fault(self):
        return self._checks.fault

    def close(self):
        self._subscription.close()


class Streams:
    """All streams of a client, by name; the conductor has its own thread."""

    def __init__(self, directory):
        self.aeron = Aeron.connect(aeron_dir=directory, client_name="python")
        self.publishers = {}
        self.subscribers = {}

    def make_publisher(self, publication, publisher, interval_us):
        return Publisher(publication, publisher, interval_us)

    def make_subscriber(self, is_reliable, notify):
        return Subscriber(is_reliable, notify)

    def update(self):
        """Use the streams as they are in the dictionaries now."""

    def do_work(self):
        now_s = time.monotonic()
        work = sum(each.poll() for each in self.subscribers.values())
        return work + sum(each.publish(now_s) for each in self.publishers.values())

    def close(self):
        self.aeron.close()


class NativeStreams:
    """The same with an agent of a user's extension; one thread drives it and the conductor."""

    def __init__(self, directory):
        import native_streams  # noqa: PLC0415 - in the folder of the arguments

        self.aeron = Aeron.connect(
            aeron_dir=directory, client_name="native", use_conductor_invoker=True
        )
        self._agent = native_streams.NativeStreams()
        self._invoker = AgentInvoker([self._agent])
        self._invoker.start()
        self.publishers, self.subscribers = self._agent.publishers, self._agent.subscribers
        self.make_publisher = native_streams.NativePublisher
        self.make_subscriber = native_streams.NativeSubscriber
        self.update = self._agent.update

    def do_work(self):
        return self.aeron.conductor_agent_invoker.invoke() + self._invoker.invoke()

    def close(self):
        self._invoker.close()
        self.aeron.close()


class Client:
    """Obeys the commands of standard input, and reports."""

    def __init__(self, streams):
        self._streams = streams
        self._closed = [0, 0, 0]  # messages, bytes and gaps of removed subscriptions
        self._with_fault = set()
        self._report_at_s = 0.0
        self._lines = b""
        self._idle = IdleStrategy("sleep-ns", sleep_period_ns=_PAUSE_NS)
        os.set_blocking(sys.stdin.fileno(), False)

    def run(self):
        emit("READY")
        while self._obey_lines():
            if self._streams.aeron.is_closed:
                raise self._streams.aeron.failure or ClosedError("client")
            work = self._streams.do_work()
            self._report(time.monotonic())
            self._idle.idle(work)
        for name in [*self._streams.publishers, *self._streams.subscribers]:
            self._remove(name)
        self._report_at_s = 0.0
        self._report(time.monotonic())

    def _obey_lines(self):
        try:
            chunk = os.read(sys.stdin.fileno(), 65536)
        except BlockingIOError:
            return True
        *lines, self._lines = (self._lines + chunk).split(b"\n")
        for line in lines:
            verb, *arguments = line.decode().split()
            if verb == "close":
                return False
            {"pub": self._publish, "sub": self._subscribe, "remove": self._remove}[verb](*arguments)
        return bool(chunk)  # empty: the run has ended

    def _publish(self, name, channel, stream_id, kind, publisher, interval_us, *destinations):
        aeron = self._streams.aeron
        add = aeron.add_exclusive_publication if kind == "exclusive" else aeron.add_publication
        publication = add(channel, int(stream_id))
        for each in destinations:
            publication.add_destination(each)
        made = self._streams.make_publisher(publication, int(publisher), int(interval_us))
        self._streams.publishers[name] = made
        self._streams.update()
        emit("added", name=int(name), session=publication.session_id)

    def _subscribe(self, name, channel, stream_id, is_reliable, *destinations):
        def notify(session_id, following):
            if name in self._streams.subscribers:
                emit("ended", name=int(name), session=session_id, next=following)

        made = self._streams.make_subscriber(is_reliable == "1", notify)
        subscription = self._streams.aeron.add_subscription(
            channel,
            int(stream_id),
            available_image_handler=made.on_image,
            unavailable_image_handler=made.on_image_end,
        )
        for each in destinations:
            subscription.add_destination(each)
        made.open(subscription)
        self._streams.subscribers[name] = made
        self._streams.update()
        emit("added", name=int(name))

    def _remove(self, name):
        if publisher := self._streams.publishers.pop(name, None):
            self._streams.update()
            publisher.close()
            emit("removed", name=int(name), sent=publisher.sent)
        if subscriber := self._streams.subscribers.pop(name, None):
            self._streams.update()
            subscriber.close()
            self._check(name, subscriber)
            counts = subscriber.message_count, subscriber.byte_count, subscriber.gap_count
            self._closed = [old + new for old, new in zip(self._closed, counts, strict=True)]
            emit("removed", name=int(name))

    def _check(self, name, subscriber):
        if subscriber.fault and name not in self._with_fault:
            self._with_fault.add(name)
            emit("fault", name=int(name), text=subscriber.fault)

    def _report(self, now_s):
        if now_s < self._report_at_s:
            return
        self._report_at_s = now_s + _REPORT_INTERVAL_S
        subscribers = self._streams.subscribers
        for name, each in subscribers.items():
            self._check(name, each)
        messages, size, gaps = self._closed
        emit(
            "progress",
            sent={name: each.sent for name, each in self._streams.publishers.items()},
            next={name: each.next_by_publisher() for name, each in subscribers.items()},
            messages=messages + sum(each.message_count for each in subscribers.values()),
            bytes=size + sum(each.byte_count for each in subscribers.values()),
            gaps=gaps + sum(each.gap_count for each in subscribers.values()),
        )


def main():
    """Run one client."""
    directory, *folder = sys.argv[1:]
    sys.path += folder
    streams = NativeStreams(directory) if folder else Streams(directory)
    Client(streams).run()
    streams.close()
    emit("CLOSED")


if __name__ == "__main__":
    main()
