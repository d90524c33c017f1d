"""The state of a member in files, snapshots and counters, and their formats."""
