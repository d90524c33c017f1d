"""The conductor: the life cycles of streams and channels, and the commands that change them."""
