"""Whether an archive sent more than pings."""
from aeron_cluster.client.subscription cimport subscription_poller


# Take the archive's signs of life off its responses; return whether there is anything else. By the
# thread that polls the subscription.
cdef int has_responses(subscription_poller *responses) except -1 nogil
