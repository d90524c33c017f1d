"""What a user compiles against the installed package, and the programs that run it."""
