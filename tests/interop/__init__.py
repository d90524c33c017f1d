"""The real Aeron 1.51.0 in Java against ours, in both directions."""
