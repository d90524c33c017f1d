"""Messages with damage, for the readers of any bytes."""

from hypothesis import strategies as st

__all__ = ["any_messages"]


def any_messages(valid):
    """Return a strategy for lists of messages: arbitrary, damaged or valid ones."""

    @st.composite
    def damaged(draw):
        message = bytearray(draw(st.sampled_from(valid)))
        for index in draw(st.lists(st.integers(0, min(len(message), 48) - 1), max_size=4)):
            message[index] = draw(st.integers(0, 255))
        return bytes(message[: draw(st.integers(0, len(message)))])

    return st.lists(
        st.one_of(st.binary(max_size=100), damaged(), st.sampled_from(valid)), max_size=12
    )
