"""What sender, receiver and conductor share: logs, positions, counters, queues."""
