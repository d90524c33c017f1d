"""What a run does after its faults: last losses, and checks with nothing else wrong."""
