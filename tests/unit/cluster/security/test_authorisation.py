from aeron_cluster.cluster.security import AUTHORISATION_SERVICES
from aeron_cluster.codecs.cluster import SCHEMA


def test_by_default_only_backups_and_standbys_are_allowed_anything():
    # "Authorisation default: schema 111 with action 77, 79, 81 allowed, all else denied"
    allow = AUTHORISATION_SERVICES[None]
    assert [action for action in range(120) if allow(SCHEMA.schema_id, action, None, b"")] == [
        77,
        79,
        81,
    ]
    assert not allow(101, 77, None, b"")


def test_the_names_of_the_property_are_upstreams():
    assert AUTHORISATION_SERVICES["ALLOW_ALL"](111, 26, None, b"")
    assert not AUTHORISATION_SERVICES["DENY_ALL"](111, 77, None, b"")
