"""The command ``pipeline``: jobs over what archives recorded."""
