"""``aeron-cluster doctor``: what a machine allows and lacks."""
