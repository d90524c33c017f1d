"""Counter states and type ids, as Python sees them."""
