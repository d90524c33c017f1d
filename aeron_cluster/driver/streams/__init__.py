"""The parts shared by sender, receiver and conductor: logs, positions, counters, queues."""
