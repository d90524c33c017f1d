"""Rare actions of clients: in how many runs, without a change of other draws."""

import struct
from collections import Counter

import pytest

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.clients.moved_timers import MovedTimers
from aeron_cluster.simulator.clients.offers import ClaimedOffers, PartedOffers
from aeron_cluster.simulator.clients.quiet_client import RareReads
from aeron_cluster.simulator.clients.reference import (
    RARE_VERBS,
    RareRequests,
    ReferenceLoad,
    ReferenceService,
    Request,
    Verb,
)
from aeron_cluster.simulator.cluster import Cluster
from aeron_cluster.simulator.trials.added_loads import (
    draw_closes,
    draw_egress_options,
    draw_failed_requests,
    draw_moved_timers,
    draw_offers,
    draw_quiet_clients,
    draw_rare_requests,
)

MANY = 1024
MS = 1_000_000
S = 1_000_000_000


def requests_of(load, count):
    """Return a load's requests if each is answered immediately."""
    found, now_ns = [], 0
    while len(found) < count:
        data = load.next_request(now_ns)
        if data is None:
            now_ns += 1_000_000
            continue
        found.append(Request.decode(data))
        load._waiting.clear()
    return found


def usual(request):
    return request._replace(number=0)


def test_one_run_of_eight_has_odd_loads_and_few_thousands_of_timers():
    found = [draw_rare_requests(seed, 0) for seed in range(MANY)]
    drawn = [each for each in found if each is not None]
    assert MANY // 10 < len(drawn) < MANY // 6
    many = [each for each in drawn if each._many]
    assert MANY // 128 < len(many) < MANY // 32
    assert all(1000 <= each._many < 3000 for each in many)


def test_one_run_of_six_has_four_to_six_quiet_clients():
    found = Counter(len(draw_quiet_clients(seed)) for seed in range(MANY))
    assert found.keys() == {0, 4, 5, 6}
    assert MANY // 8 < found.total() - found[0] < MANY // 5


def test_quiet_clients_read_now_and_then():
    load = RareReads(2, SeededRandom(1), S)
    times = []
    while load.next_due_ns < 100 * S:
        times.append(load.next_due_ns)
        request = Request.decode(load.next_request(load.next_due_ns))
        assert (request.client, request.number) == ((1 << 17) + 2, len(times))
        assert request.verb is Verb.READ
        assert load.next_request(times[-1]) is None
    assert 70 < len(times) < 140


def test_one_client_alone_sets_thousands_of_timers():
    assert not any(each._many for seed in range(MANY) if (each := draw_rare_requests(seed, 1)))
    shared = [each for seed in range(MANY) if (each := draw_rare_requests(seed, 0, 5))]
    assert {each._many for each in shared} <= {0, *range(200, 600)}


def test_the_egress_of_one_run_of_16_has_short_datagrams():
    found = Counter(draw_egress_options(seed, 0) for seed in range(MANY))
    assert MANY // 24 < MANY - found.pop("") < MANY // 10
    mtus = [int(each.removeprefix("|mtu=")) for each in found]
    assert min(mtus) == 96
    assert max(mtus) < 1408
    assert not any(each % 32 for each in mtus)


def test_services_close_sessions_in_a_quarter_of_the_runs():
    drawn = [draw_closes(seed, 0) for seed in range(MANY)]
    found = [each for each in drawn if each is not None]
    assert MANY // 5 < len(found) < MANY // 3
    assert [draw_closes(seed, 1) is None for seed in range(MANY)] == [
        each is None for each in drawn
    ]


def test_session_closes_do_not_change_the_usual_requests():
    plain, closing = ReferenceLoad(0, SeededRandom(7)), ReferenceLoad(0, SeededRandom(7))
    closing.enable_closes(SeededRandom(8))
    wanted = [usual(each) for each in requests_of(plain, 300)]
    requested = requests_of(closing, 300)
    rest = [usual(each) for each in requested if each.verb is not Verb.CLOSE]
    assert rest == wanted[: len(rest)]
    assert 1 <= 300 - len(rest) < 20


def test_clients_of_one_run_of_eight_send_in_parts_or_in_claimed_space():
    found = Counter(type(draw_offers(seed, 0)) for seed in range(MANY))
    assert found.keys() == {type(None), PartedOffers, ClaimedOffers}
    assert MANY // 10 < found[PartedOffers] + found[ClaimedOffers] < MANY // 6
    assert min(found.values()) > MANY // 32
    assert [draw_offers(seed, 1) is None for seed in range(MANY)] == [
        draw_offers(seed, 0) is None for seed in range(MANY)
    ]


def test_requests_fail_in_half_of_the_runs():
    drawn = [draw_failed_requests(seed, 0) for seed in range(MANY)]
    assert 2 * MANY // 5 < sum(each is not None for each in drawn) < 3 * MANY // 5
    assert [draw_failed_requests(seed, 1) is None for seed in range(MANY)] == [
        each is None for each in drawn
    ]


def test_failed_requests_do_not_change_the_usual_ones():
    plain, failing = ReferenceLoad(0, SeededRandom(7)), ReferenceLoad(0, SeededRandom(7))
    failing.enable_failed_requests(SeededRandom(8))
    wanted = [usual(each) for each in requests_of(plain, 600)]
    requested = requests_of(failing, 600)
    failures = [each for each in requested if each.failure is not None]
    rest = [usual(each) for each in requested if each.failure is None]
    assert rest == wanted[: len(rest)]
    assert {each.verb for each in failures} == {Verb.REJECT, Verb.FAIL}
    lengths = [len(each.failure.reason) for each in failures if each.failure.is_rejected]
    assert min(lengths) == 0
    assert max(lengths) > 1000
    assert len({each.failure.reason for each in failures if not each.failure.is_rejected}) == 2
    assert 600 // 16 < len(failures) < 600 // 4


def test_timers_are_moved_in_one_run_of_eight():
    drawn = [draw_moved_timers(seed, 0) for seed in range(MANY)]
    assert MANY // 10 < sum(each is not None for each in drawn) < MANY // 6
    assert [draw_moved_timers(seed, 1) is None for seed in range(MANY)] == [
        each is None for each in drawn
    ]


def test_each_timer_is_set_for_later_and_moved_once_to_fire_soon():
    load = ReferenceLoad(3, SeededRandom(7))
    load.enable_moved_timers(MovedTimers(3, SeededRandom(8), S))
    requests, now_ns = {}, 0
    while now_ns < 20 * S:
        data = load.next_request(now_ns)
        if data is None:
            now_ns += MS
            continue
        load._waiting.clear()
        request = Request.decode(data)
        if request.verb is Verb.MOVE:
            requests.setdefault(request.second, []).append((now_ns, request.first))
    moved = [each for each in requests.values() if len(each) > 1]
    assert len(requests) - 8 <= len(moved) <= len(requests)
    assert len(moved) > 50
    for (set_ns, later_ms), (moved_ns, soon_ms) in moved:
        assert later_ms >= 600_000
        assert 1 <= soon_ms <= 30
        assert 20 * MS <= moved_ns - set_ns < 2 * S
    assert max(moved_ns - set_ns for (set_ns, _), (moved_ns, _) in moved) > S // 2


def test_moved_timers_of_clients_differ():
    timers = [MovedTimers(client, SeededRandom(1), S) for client in range(2)]
    first, second = (
        {drawn[0] for _ in range(8) if (drawn := each.draw(0)) is not None} for each in timers
    )
    assert first
    assert not first & second


def test_rare_requests_do_not_change_the_usual_ones():
    plain = ReferenceLoad(0, SeededRandom(7))
    rare = ReferenceLoad(0, SeededRandom(7))
    rare.enable_rare_requests(RareRequests(SeededRandom(8), RARE_VERBS))
    wanted = [usual(each) for each in requests_of(plain, 200)]
    requested = requests_of(rare, 260)
    assert [each.number for each in requested] == list(range(260))
    rest = [usual(each) for each in requested if each.verb not in RARE_VERBS]
    assert rest == wanted[: len(rest)]
    assert not {each.verb for each in wanted} & {*RARE_VERBS}
    assert 50 < len(requested) - len(rest) < 200


def test_a_timer_is_moved_or_cancelled_and_set_again_as_it_fires():
    rare_requests = RareRequests(SeededRandom(8), [Verb.MOVE, Verb.CANCEL])
    found = set()
    for number in range(600):
        first, follows = rare_requests.draw(0, number, 0), []
        for now_ms in range(30):
            while (each := rare_requests.follow(number, now_ms * MS)) is not None:
                follows.append((now_ms, each))
        if follows:
            assert first.verb is Verb.MOVE
            assert all(first.first - 4 <= now_ms <= first.first for now_ms, _ in follows)
            assert {each.second for _, each in follows} == {first.second}
            found.add(tuple(each.verb for _, each in follows))
    assert found == {(Verb.MOVE,), (Verb.CANCEL, Verb.MOVE)}


def test_thousands_of_timers_are_requested_once():
    rare_requests = RareRequests(SeededRandom(8), [Verb.LONG], 1500)
    found = [
        each for number in range(200) if (each := rare_requests.draw(0, number, 0)) is not None
    ]
    assert [each.first for each in found if each.verb is Verb.MANY] == [1500]


@pytest.mark.parametrize("verb", [Verb.LONG, Verb.NOTIFY])
def test_the_length_threshold_is_tested_on_both_sides_of_a_term(verb):
    rare_requests = RareRequests(SeededRandom(8), [verb])
    lengths = [each.first for number in range(600) if (each := rare_requests.draw(0, number, 0))]
    assert min(lengths) < 8192 - 64 < 8192 < max(lengths)


def fired_of(cluster):
    return [each.services[0].state.fired for each in cluster.members]


def queue_of(cluster):
    return [each.services[0].state.queue for each in cluster.members]


def test_the_service_applies_rare_requests():
    with Cluster(1, ReferenceService) as cluster:
        cluster.start()
        leader = cluster.await_leader()
        client = cluster.add_client()
        requested = [
            (Verb.MOVE, 500, 3),
            (Verb.MOVE, 100, 3),
            (Verb.MOVE, 100, 4),
            (Verb.CANCEL, 0, 4),
            (Verb.MANY, 30, 10),
            (Verb.LONG, 8000, 0),
            (Verb.LONG, 9000, 0),
            (Verb.NOTIFY, 8000, 0),
            (Verb.NOTIFY, 9000, 0),
        ]
        for number, (verb, first, second) in enumerate(requested):
            client.send(Request(0, number, verb, first, second).encode())
        cluster.run_until(lambda: len(client.responses) == len(requested) + 1, what="the answers")
        cluster.run_for(2 * S)
        fired = fired_of(cluster)
        assert fired[0] == fired[1] == fired[2]
        moved = 1 << 40
        assert sorted(fired[0]) == [moved + 3, *(2 * moved + each for each in range(30))]
        assert queue_of(cluster) == [[5]] * 3
        assert len(leader.errors) == 1


def test_thousands_of_timers_fire_once_each():
    with Cluster(1, ReferenceService) as cluster:
        cluster.start()
        cluster.await_leader()
        client = cluster.add_client()
        client.send(Request(0, 0, Verb.MANY, 2000, 500).encode())
        cluster.run_until(
            lambda: [len(each) for each in fired_of(cluster)] == [2000] * 3, what="the timers"
        )
        assert len({*fired_of(cluster)[0]}) == 2000


class Envelopes:
    """Draws one message in the format of surviving clients, and then none."""

    def __init__(self):
        self.messages = [ENVELOPED]
        self.received = []

    def draw(self):
        return self.messages.pop() if self.messages else None

    def on_message(self, message):
        self.received.append(message)


ENVELOPED = struct.pack("<4sHHqqqq", b"ACRQ", 1, 1, 7, 1, 0, 0)


def test_a_load_sends_and_receives_messages_in_the_format_of_surviving_clients():
    load, envelopes = ReferenceLoad(0, SeededRandom(1)), Envelopes()
    load.enable_enveloped_requests(envelopes)
    assert load.next_request(10) == ENVELOPED
    load.on_sent(ENVELOPED, 11)
    load.on_response(ENVELOPED, 12)
    assert envelopes.received == [ENVELOPED]
    assert load.operations == []
    assert load.waiting_count == 0
    assert load.next_request(10) is None  # it waits between two
    request = load.next_request(load.next_due_ns)
    assert request is not None
    load.on_sent(request, 20)
    assert [each.sent_ns for each in load.operations] == [20]
    assert load.waiting_count == 1
    assert len(envelopes.received) == 1
