"""The log of the cluster: appending, recording, reading, replay, replication, and its services."""
