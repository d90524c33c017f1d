"""A cluster on this machine: its members as processes, supervised and shown."""
