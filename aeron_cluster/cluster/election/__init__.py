"""Elections: the states of a member until it leads or follows, and their steps."""
