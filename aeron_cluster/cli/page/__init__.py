"""``aeron-cluster page``: a live page of a cluster."""
