"""The command ``pipeline``: jobs over recordings of archives."""
