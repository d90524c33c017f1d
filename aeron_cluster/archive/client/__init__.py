"""The client of an archive: its session, its requests, and a replay merged with a live stream."""
