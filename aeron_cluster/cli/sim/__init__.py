"""The command ``sim``: simulated clusters, from seeds."""
