"""The commands that inspect a media driver: ours, Java's or C's."""
