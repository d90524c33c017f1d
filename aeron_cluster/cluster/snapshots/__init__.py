"""When snapshots are taken, by which members they are held, and what they let the log drop."""
