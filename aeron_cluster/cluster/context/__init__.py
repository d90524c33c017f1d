"""What a consensus module is configured with, and an extension of it."""
