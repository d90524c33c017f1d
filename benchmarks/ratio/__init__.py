"""The same work done by ours and by Java in turn, on one machine, in one run."""
