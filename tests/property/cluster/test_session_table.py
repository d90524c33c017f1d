"""The session table compared with a dict."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.state.session_table import SessionTable

# Consecutive ids as from a leader, multiples with equal low bits, those that share a slot in tables
# of up to 256 sessions, and the ends of the range.
ids = st.one_of(
    st.integers(0, 40),
    st.integers(0, 40).map(lambda each: each << 32),
    st.integers(0, 40).map(lambda each: each << 40),
    st.sampled_from([-(2**63), 2**63 - 1, -1]),
)
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "remove", "touch", "open", "close", "link"]),
        ids,
        st.integers(0, 99),
    ),
    min_size=20,
    max_size=300,
)
# Whether sessions are put or removed, the first id, the distance to the next one, and how many.
changes = st.lists(
    st.tuples(
        st.booleans(),
        st.integers(-40, 400),
        st.sampled_from([1, 2, 1 << 32, 1 << 40, 1 << 50]),
        st.integers(1, 500),
    ),
    max_size=20,
)


@given(steps)
def test_it_holds_the_same_as_a_dict(steps):
    table, model = SessionTable(), {}
    for step, session_id, value in steps:
        if step == "put":
            table.put(
                session_id, is_open=value % 2 == 0, last_activity_ns=value, ingress_image=value
            )
            model[session_id] = [value % 2 == 0, value, value]
        elif step == "remove":
            assert table.remove(session_id) == (model.pop(session_id, None) is not None)
        elif session_id not in model:
            assert session_id not in table
        elif step == "touch":
            table.touch(session_id, value)
            model[session_id][1] = value
        elif step == "link":
            table.link(session_id, value)
            model[session_id][2] = value
        else:
            table.set_open(session_id, step == "open")
            model[session_id][0] = step == "open"
        assert len(table) == len(model)
    for session_id, (is_open, activity_ns, image) in model.items():
        assert session_id in table
        assert table.is_open(session_id) == is_open
        assert table.last_activity_ns(session_id) == activity_ns
        assert table.ingress_image(session_id) == image
    assert table.earliest_activity_ns() == min(
        (activity_ns for is_open, activity_ns, _ in model.values() if is_open), default=2**63 - 1
    )


@given(changes)
def test_it_holds_any_number_of_sessions(changes):
    table, model, removed = SessionTable(), {}, set()
    for is_put, first, distance, count in changes:
        for session_id in range(first, first + distance * count, distance):
            if is_put:
                table.put(session_id, is_open=True, last_activity_ns=session_id)
                model[session_id] = session_id
                removed.discard(session_id)
            else:
                assert table.remove(session_id) == (model.pop(session_id, None) is not None)
                removed.add(session_id)
        assert len(table) == len(model)
        assert all(table.last_activity_ns(each) == model[each] for each in model)
        assert not any(each in table for each in removed)
    assert table.earliest_activity_ns() == min(model, default=2**63 - 1)
