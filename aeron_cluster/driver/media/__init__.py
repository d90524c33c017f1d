"""What stands between endpoints and the network where a channel or the context requests it."""
