"""Check for responses of an archive other than pings."""
from aeron_cluster.client.subscription cimport subscription_poller


# Consume the archive's pings; return whether there are other responses. Only for the thread that
# polls the subscription.
cdef int has_responses(subscription_poller *responses) except -1 nogil
