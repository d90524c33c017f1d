"""Members of a Java cluster that are replaced by ours one by one, while it keeps its state."""
