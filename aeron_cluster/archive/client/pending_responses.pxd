"""Consume the pings of an archive, and check for its other responses."""
from aeron_cluster.client.subscription cimport subscription_poller


# Consume pings; return whether other responses wait. Only for the thread that polls the
# subscription.
cdef int skip_pings(subscription_poller *responses) except -1 nogil
