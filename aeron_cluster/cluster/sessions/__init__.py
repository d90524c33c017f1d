"""The sessions of clients, from the request to connect to the last event."""
