"""What there is to read, and up to where: recordings and their ends, commits, and plans to read."""
