"""The conductor's state of a stream that can be an image of subscriptions.

``io.aeron.driver.Subscribable``, ``io.aeron.driver.UntetheredSubscription``.

The state of one subscriber that is not tethered::

    ACTIVE --window limit timeout--> LINGER --linger timeout--> RESTING --resting timeout--> ACTIVE
                                       |
                                       +-- not rejoining: dropped
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol, assert_never

from aeron_cluster.events.codes import DriverEvent

if TYPE_CHECKING:
    from aeron_cluster.driver.clients.client_proxy import ClientProxy
    from aeron_cluster.driver.clients.stream_params import SubscriptionParams, UntetheredTimeouts
    from aeron_cluster.driver.streams.driver_counters import DriverCounters

__all__ = ["ManagedStream", "Subscriber", "SubscriberPosition", "TetherState"]


class Subscriber(Protocol):
    """The members of a subscription that a stream uses."""

    registration_id: int
    client_id: int
    channel: str
    params: SubscriptionParams
    streams: list[ManagedStream]


class TetherState(Enum):
    """The state of a lagging subscriber; a tethered one is active until its image ends."""

    ACTIVE = 0
    LINGER = 1
    RESTING = 2


@dataclass(slots=True)
class SubscriberPosition:
    """The position of one subscription in one stream."""

    subscription: Subscriber
    counter_id: int
    time_ns: int
    state: TetherState = TetherState.ACTIVE


class ManagedStream(ABC):
    """A stream with its subscribers; subclasses implement its log and its life cycle.

    Parameters
    ----------
    image_id : int
        The id of the image for clients: a publication's registration id, an image's correlation id.
    channel : str
        The channel of the command that created the stream.
    log_path, source_identity : str
        The properties sent to clients with the image.
    """

    def __init__(
        self,
        counters: DriverCounters,
        clients: ClientProxy,
        *,
        image_id: int,
        session_id: int,
        stream_id: int,
        channel: str,
        log_path: str,
        source_identity: str,
        untethered: UntetheredTimeouts,
    ) -> None:
        self.image_id = image_id
        self.session_id = session_id
        self.stream_id = stream_id
        self.channel = channel
        self.log_path = log_path
        self.source_identity = source_identity
        self.subscribers: list[SubscriberPosition] = []
        self._counters = counters
        self._clients = clients
        self._untethered = untethered

    @property
    @abstractmethod
    def join_position(self) -> int:
        """The position at which a new subscriber starts, in bytes."""

    @property
    @abstractmethod
    def is_accepting_subscriptions(self) -> bool:
        """Whether a new subscriber may join."""

    @abstractmethod
    def _count_position(self, counter_id: int) -> None:
        """Include a subscriber's position in the publisher's limit."""

    @abstractmethod
    def _discount_position(self, counter_id: int) -> None:
        """Exclude a subscriber's position from the publisher's limit."""

    @abstractmethod
    def _untethered_limit(self) -> int:
        """Return the position that an untethered subscriber must be beyond, in bytes."""

    def link(self, *subscriptions: Subscriber, now_ns: int) -> None:
        """Link this stream to `subscriptions` as an image, then notify their clients.

        Raises
        ------
        InsufficientSpaceError
            There is no counter for one of them; none is linked.
        """
        linked: list[SubscriberPosition] = []
        try:
            linked.extend(self._link(each, now_ns) for each in subscriptions)
        except BaseException:
            for position in linked:
                self._drop(position)
            raise
        for position in linked:
            self._announce(position)

    def _link(self, subscription: Subscriber, now_ns: int) -> SubscriberPosition:
        join_position = self.join_position
        counter_id = self._counters.subscriber_position(
            owner_id=subscription.client_id,
            registration_id=subscription.registration_id,
            image_id=self.image_id,
            session_id=self.session_id,
            stream_id=self.stream_id,
            channel=subscription.channel,
            join_position=join_position,
        )
        position = SubscriberPosition(subscription, counter_id, now_ns)
        self._count_position(counter_id)
        self.subscribers.append(position)
        subscription.streams.append(self)
        return position

    def unlink(self, subscription: Subscriber) -> None:
        """Remove `subscription`, without a notification."""
        for position in [each for each in self.subscribers if each.subscription is subscription]:
            self._drop(position)

    def announce_end(self) -> None:
        """Notify every subscriber that the image is unavailable; their positions remain."""
        for position in self.subscribers:
            if position.state is TetherState.ACTIVE:
                self._announce_end(position)
                position.state = TetherState.LINGER

    def unlink_all(self) -> None:
        """Notify subscribers that were not yet that the image is unavailable, and remove all."""
        self.announce_end()
        for position in list(self.subscribers):
            self._drop(position)

    def check_untethered(self, now_ns: int) -> None:
        """Drop lagging untethered subscribers, and add them again after their resting time."""
        for position in list(self.subscribers):
            if not position.subscription.params.is_tethered:
                self._check_one_untethered(position, now_ns)

    def _check_one_untethered(self, position: SubscriberPosition, now_ns: int) -> None:
        elapsed_ns = now_ns - position.time_ns
        match position.state:
            case TetherState.ACTIVE:
                if self._counters.value(position.counter_id) > self._untethered_limit():
                    position.time_ns = now_ns
                elif elapsed_ns > self._untethered.window_limit_ns:
                    self._announce_end(position)
                    self._enter(position, TetherState.LINGER, now_ns)
            case TetherState.LINGER:
                if elapsed_ns <= self._untethered.linger_ns:
                    return
                if position.subscription.params.is_rejoining:
                    self._discount_position(position.counter_id)
                    self._enter(position, TetherState.RESTING, now_ns)
                else:
                    self._drop(position)
            case TetherState.RESTING:
                if elapsed_ns > self._untethered.resting_ns:
                    self._counters.set_value(position.counter_id, self.join_position)
                    self._count_position(position.counter_id)
                    self._enter(position, TetherState.ACTIVE, now_ns)
                    self._announce(position)
            case _:
                assert_never(position.state)

    def _enter(self, position: SubscriberPosition, state: TetherState, now_ns: int) -> None:
        self._clients.events.record(
            DriverEvent.UNTETHERED_SUBSCRIPTION_STATE_CHANGE,
            subscription_id=position.subscription.registration_id,
            stream_id=self.stream_id,
            session_id=self.session_id,
            states=(position.state, state),
        )
        position.state = state
        position.time_ns = now_ns

    def _drop(self, position: SubscriberPosition) -> None:
        self.subscribers.remove(position)
        position.subscription.streams.remove(self)
        if position.state is not TetherState.RESTING:
            self._discount_position(position.counter_id)
        self._counters.free(position.counter_id)

    def _announce(self, position: SubscriberPosition) -> None:
        self._clients.on_available_image(
            self.image_id,
            self.session_id,
            self.stream_id,
            position.subscription.registration_id,
            position.counter_id,
            self.log_path,
            self.source_identity,
        )

    def _announce_end(self, position: SubscriberPosition) -> None:
        self._clients.on_unavailable_image(
            self.image_id,
            position.subscription.registration_id,
            self.stream_id,
            position.subscription.channel,
        )
