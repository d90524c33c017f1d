"""The session table compared with a dict."""

from hypothesis import given
from hypothesis import strategies as st

from aeron_cluster.cluster.state.session_table import SessionTable

# Consecutive ids as from a leader, multiples with equal low bits, and the ends of the range.
ids = st.one_of(
    st.integers(0, 40),
    st.integers(0, 40).map(lambda each: each << 32),
    st.sampled_from([-(2**63), 2**63 - 1, -1]),
)
steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "remove", "touch", "open", "close", "link"]),
        ids,
        st.integers(0, 99),
    ),
    max_size=300,
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
