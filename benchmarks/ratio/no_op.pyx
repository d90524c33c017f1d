"""Method calls that do nothing, with the client's arguments: the cost of the call itself."""
cimport cython


@cython.final
cdef class NoOp:
    """Has the signatures of a publication, a claim and a subscription."""

    def offer(self, message, reserved_value=None):
        """Do nothing."""
        return 1

    def try_claim(self, int length, claim):
        """Do nothing."""
        return 1

    def commit(self):
        """Do nothing."""

    def poll(self, handler, int fragment_limit=10):
        """Do nothing."""
        return 1

    def on_message(self, message, header):
        """Do nothing: a handler."""
