from types import SimpleNamespace

import pytest

from aeron_cluster.client.credentials import Credentials
from aeron_cluster.client.security import (
    DefaultAuthenticator,
    SimpleAuthenticator,
    SimpleAuthorisationService,
    allow_all,
    deny_all,
)
from aeron_cluster.errors import ConfigurationError


class Proxy(SimpleNamespace):
    def __init__(self, session_id=1, can_send=True):
        super().__init__(session_id=session_id, can_send=can_send, decision=None)

    def challenge(self, _):
        raise AssertionError("nobody is challenged")

    def authenticate(self, encoded_principal):
        if self.can_send:
            self.decision = encoded_principal
        return self.can_send

    def reject(self):
        self.decision = "rejected"


def test_the_default_accepts_every_client_without_a_principal():
    authenticator, proxy = DefaultAuthenticator(), Proxy()
    authenticator.on_connect_request(1, b"anything", 0)
    authenticator.on_connected_session(proxy, 0)
    assert proxy.decision == b""
    challenged = Proxy(2)
    authenticator.on_challenge_response(2, b"anything", 0)
    authenticator.on_challenged_session(challenged, 0)
    assert challenged.decision == b""


def test_default_credentials_are_empty():
    assert Credentials().encoded_credentials() == b""
    assert Credentials().on_challenge(b"who?") == b""


@pytest.mark.parametrize(
    ("credentials", "decision"),
    [(b"admin:admin", b"root"), (b"admin:Admin", "rejected"), (b"", "rejected")],
)
def test_simple_authenticator_accepts_only_exact_credentials(credentials, decision):
    authenticator, proxy = SimpleAuthenticator({b"admin:admin": b"root"}), Proxy()
    authenticator.on_connect_request(1, credentials, 0)
    authenticator.on_connected_session(proxy, 0)
    assert proxy.decision == decision


def test_simple_authenticator_repeats_an_unsent_decision():
    authenticator, proxy = SimpleAuthenticator({b"c": b"p"}), Proxy(can_send=False)
    authenticator.on_connect_request(1, b"c", 0)
    authenticator.on_connected_session(proxy, 0)
    proxy.can_send = True
    authenticator.on_connected_session(proxy, 0)
    assert proxy.decision == b"p"


def test_the_simple_authenticator_rejects_unknown_and_unchallenged_clients():
    authenticator = SimpleAuthenticator({b"c": b"p"})
    for send_request in (authenticator.on_connected_session, authenticator.on_challenged_session):
        proxy = Proxy(5)
        send_request(proxy, 0)
        assert proxy.decision == "rejected"


def test_simple_authenticator_forgets_clients_that_never_returned():
    authenticator = SimpleAuthenticator({b"c": b"p"})
    for session_id in range(100):
        authenticator.on_connect_request(session_id, b"c", session_id * 60_000)
    assert len(authenticator._undecided) == 10


def test_services_allow_everything_or_nothing():
    assert allow_all(111, 26, None, b"")
    assert not deny_all(111, 26, None, b"")


# SimpleAuthorisationServiceTest of upstream: the more specific rule applies, and rules of the
# principal precede those for all.
def test_rules_apply_from_the_most_specific_to_the_default():
    service = (
        SimpleAuthorisationService(allow_all)
        .reject(1)
        .allow(1, 2)
        .reject(1, 2, "type")
        .allow(1, principal=b"admin")
        .reject(1, 5, principal=b"admin")
    )
    for request, is_allowed in (
        ((3, 1, None, b""), True),  # the default
        ((1, 9, None, b""), False),
        ((1, 2, None, b""), True),
        ((1, 2, "type", b""), False),
        ((1, 2, "other", b""), True),
        ((1, 2, "type", b"admin"), True),
        ((1, 5, "type", b"admin"), False),
    ):
        assert service(*request) is is_allowed, request
    assert not SimpleAuthorisationService()(1, 2, None, b"")


def test_of_rules_for_one_type_the_one_that_allows_applies():
    for service in (
        SimpleAuthorisationService().allow(1, 2, "type").reject(1, 2, "type"),
        SimpleAuthorisationService().reject(1, 2, "type").allow(1, 2, "type"),
    ):
        assert service(1, 2, "type", b"")
    assert not SimpleAuthorisationService().allow(1, 2).reject(1, 2)(1, 2, None, b"")


def test_a_rule_of_a_type_needs_an_action():
    with pytest.raises(ConfigurationError, match="action_id"):
        SimpleAuthorisationService().allow(1, type_="type")


def test_credentials_of_a_client_that_has_gone_are_dropped():
    authenticator, proxy = SimpleAuthenticator({b"c": b"p"}), Proxy()
    authenticator.on_connect_request(proxy.session_id, b"c", 0)
    authenticator.on_session_ended(proxy.session_id)
    authenticator.on_session_ended(proxy.session_id)
    authenticator.on_connected_session(proxy, 0)
    assert proxy.decision == "rejected"  # as without a request
