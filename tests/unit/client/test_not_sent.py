"""Results of an offer as booleans, numbers and texts."""

from aeron_cluster.client.not_sent import ADMIN_ACTION, BACK_PRESSURED, NOT_CONNECTED, NotSent


def test_not_sent_is_false_and_below_zero():
    for result in NotSent:
        assert not result
        assert result < 0


def test_values_are_upstreams():
    assert (NOT_CONNECTED, BACK_PRESSURED, ADMIN_ACTION) == (-1, -2, -3)


def test_the_repr_advises():
    assert "retry" in repr(BACK_PRESSURED)
    assert "subscriber" in repr(NOT_CONNECTED)
