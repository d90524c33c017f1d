"""Subscriptions that combine the recording of a stream with the live stream."""
