"""What a member checks of its latest snapshot before its first election."""

from types import SimpleNamespace

import pytest

from aeron_cluster.cluster.module.recovery import _check_services
from aeron_cluster.errors import LogMismatchError


def context(services):
    return SimpleNamespace(options=SimpleNamespace(service_count=services, member_id=2))


def of_services(count):
    trackers = [SimpleNamespace(service_id=each) for each in range(count)]
    return SimpleNamespace(trackers=trackers, log_position=1088, leadership_term_id=3)


@pytest.mark.parametrize(("services", "found"), [(1, 1), (3, 3), (3, 2), (0, 1), (0, 0), (1, 0)])
def test_snapshot_of_no_more_services_is_loaded(services, found):
    _check_services(context(services), of_services(found))


@pytest.mark.parametrize(("services", "found"), [(1, 2), (2, 3), (0, 2)])
def test_snapshot_of_more_services_is_refused(services, found):
    with pytest.raises(LogMismatchError) as raised:
        _check_services(context(services), of_services(found))
    assert f"expected {services} services, found {found}" in str(raised.value)
    assert "as many services as took its snapshot" in str(raised.value)
    assert (raised.value.member_id, raised.value.is_damage) == (2, False)
