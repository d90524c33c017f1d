"""Virtual time, seeded network and disk behind the same seams."""
