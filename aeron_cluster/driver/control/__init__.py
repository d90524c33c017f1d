"""The conductor: the lives of streams and channels, and the commands that change them."""
