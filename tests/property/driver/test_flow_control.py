"""The sender's limit, compared with naive models of the group strategies."""

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from aeron_cluster.driver.send.flow_control import FlowControlStrategy
from aeron_cluster.driver.send.flow_control_options import FlowControlOptions
from tests.unit.driver.harness import SECOND, Sending, status_frame

TIMEOUT_NS = 5 * SECOND
TAG = 101
END_OF_STREAM = 0x40


@dataclass
class GroupModel:
    """A naive model of the min and tagged strategies."""

    is_tagged: bool
    min_size: int
    limit: int = 0
    receivers: dict[int, tuple[int, int, bool]] = field(default_factory=dict)

    def status(self, receiver, position, window, tag, ended, now):
        proposed = position + window
        if not self.is_tagged or tag == TAG:
            if receiver in self.receivers:
                self.receivers[receiver] = (proposed, now, ended)
            elif not ended and (
                not self.receivers
                or proposed >= min(each[0] for each in self.receivers.values()) - window
            ):
                self.receivers[receiver] = (proposed, now, False)
        if len(self.receivers) < self.min_size:
            return
        if self.receivers:
            proposed = min(each[0] for each in self.receivers.values())
        self.limit = max(self.limit, proposed)

    def idle(self, now):
        self.receivers = {
            receiver: (limit, seen, ended)
            for receiver, (limit, seen, ended) in self.receivers.items()
            if not ended and now <= seen + TIMEOUT_NS
        }
        if self.receivers and len(self.receivers) >= self.min_size:
            self.limit = min(each[0] for each in self.receivers.values())


messages = st.tuples(
    st.integers(1, 5),  # receiver
    st.integers(0, 300).map(lambda frames: frames * 32),  # position
    st.sampled_from([0, 1408, 16384]),  # window
    st.sampled_from([None, TAG, 7]),
    st.sampled_from([False, False, False, True]),  # end of stream
    st.sampled_from([0, 0, SECOND, 3 * SECOND, 6 * SECOND]),  # time before it
)


@settings(max_examples=200, deadline=None)
@given(
    is_tagged=st.booleans(),
    min_size=st.integers(0, 3),
    script=st.lists(messages, max_size=40),
)
def test_limit_equals_the_models(is_tagged, min_size, script):
    sending = Sending(
        has_group_semantics=True,
        flow_control=FlowControlOptions(
            FlowControlStrategy.FLOW_CONTROL_TAGGED
            if is_tagged
            else FlowControlStrategy.FLOW_CONTROL_MIN,
            receiver_timeout_ns=TIMEOUT_NS,
            group_tag=TAG,
            group_min_size=min_size,
        ),
    )
    model = GroupModel(is_tagged, min_size)
    sending.run()
    for receiver, position, window, tag, ended, advance in script:
        sending.clock.advance(advance)
        now = sending.clock.nano_time()
        frame = status_frame(
            sending.log,
            position,
            window,
            receiver_id=receiver,
            group_tag=tag,
            flags=END_OF_STREAM if ended else 0,
        )
        # A pass sends first (nothing, since it is idle), then receives.
        sending.deliver(frame)
        model.idle(now)
        model.status(receiver, position, window, tag, ended, now)
        assert sending.sender_limit == model.limit
        assert sending.counters[sending.receivers_id] == len(model.receivers)
        assert sending.publication.has_subscribers == (
            sending.publication.has_receivers and len(model.receivers) >= min_size
        )
        sending.run()
        model.idle(now)
        assert sending.sender_limit == model.limit


@settings(max_examples=100, deadline=None)
@given(script=st.lists(messages, max_size=40), is_group=st.booleans())
def test_max_and_unicast_follow_the_furthest(script, is_group):
    sending = Sending(
        has_group_semantics=is_group,
        flow_control=FlowControlOptions(
            FlowControlStrategy.FLOW_CONTROL_MAX
            if is_group
            else FlowControlStrategy.FLOW_CONTROL_UNICAST
        ),
    )
    furthest = 0
    for receiver, position, window, tag, _, _ in script:
        sending.deliver(
            status_frame(sending.log, position, window, receiver_id=receiver, group_tag=tag)
        )
        furthest = max(furthest, position + window)
        assert sending.sender_limit == furthest


def test_a_setup_requested_while_receivers_live_holds_the_limit_until_one_joins():
    sending = Sending(
        has_group_semantics=True,
        flow_control=FlowControlOptions(FlowControlStrategy.FLOW_CONTROL_MIN),
    )
    sending.deliver(status_frame(sending.log, 0, 4096, receiver_id=1))
    assert sending.sender_limit == 4096
    sending.deliver(status_frame(sending.log, 0, 0, receiver_id=2, flags=0x80))
    sending.run(SECOND // 10)  # the setup is sent
    sending.deliver(status_frame(sending.log, 4096, 4096, receiver_id=1))
    assert sending.sender_limit == 4096
    sending.deliver(status_frame(sending.log, 4096, 4096, receiver_id=2))
    sending.deliver(status_frame(sending.log, 4096, 4096, receiver_id=1))
    assert sending.sender_limit == 8192
