"""The driver's side of its clients: commands, channels, events."""
