"""The locations of recordings: directories, URLs and object stores, and members' directories."""
