"""The log of the cluster: append, record, read, replay, replicate it, and have services read it."""
