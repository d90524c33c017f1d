"""Elections: the states of a member on its way to leading or following, and what each does."""
