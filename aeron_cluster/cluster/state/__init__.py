"""What a member keeps in files, snapshots and counters, and the formats of it."""
