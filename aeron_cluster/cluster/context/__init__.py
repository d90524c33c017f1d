"""The configuration of a consensus module, and its extensions."""
