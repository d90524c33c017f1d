"""The embedded media driver: conductor, sender, receiver, endpoints."""
