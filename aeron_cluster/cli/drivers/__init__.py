"""The commands that look at a media driver: ours, Java's or C's."""
