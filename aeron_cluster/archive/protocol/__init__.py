"""What an archive and its clients share: error codes, channels, and the counter of a recording."""
