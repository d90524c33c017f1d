"""Components of users, as properties name them."""

from aeron_cluster.client.security import DefaultAuthenticator, SimpleAuthorisationService
from aeron_cluster.cluster.context.cluster_clock import ClusterClock
from aeron_cluster.cluster.context.extension import ConsensusModuleExtension
from tests.unit.cluster.user_components import DictTimers

HERE = __name__

NOT_CALLABLE = 7
ERRORS = []


class Clock(ClusterClock):
    """A clock that stands still."""

    def time(self):
        return 12


class Extension(ConsensusModuleExtension):
    """Does nothing."""


def make_authenticator():
    """Return an authenticator."""
    return DefaultAuthenticator()


def make_authorisation_service():
    """Return an authorisation service."""
    return SimpleAuthorisationService().allow(101)


def make_nothing():
    """Return no component."""


def make_timers(time_unit, handler):
    """Return a timer service."""
    return DictTimers(time_unit, handler)


def on_error(error):
    """Handle an error."""
    ERRORS.append(error)


def may_terminate(directory, token):
    """Return whether a client may end a driver."""
    if token == b"raise":
        raise ValueError("no such token")
    return directory.endswith("mild") and token == b"secret"
