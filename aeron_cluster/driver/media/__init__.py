"""Optional layers between endpoints and the network."""
