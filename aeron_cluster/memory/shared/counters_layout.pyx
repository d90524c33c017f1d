"""Counter states and type ids for Python."""
