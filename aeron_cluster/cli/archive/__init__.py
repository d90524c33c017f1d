"""The commands of archives: run one, and inspect its directory."""
