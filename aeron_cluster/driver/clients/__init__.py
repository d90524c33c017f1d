"""What clients send to the driver, and what they receive: commands, channels, events."""
