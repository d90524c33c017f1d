"""``aeron-cluster doctor``: checks whether a machine suits a node."""
