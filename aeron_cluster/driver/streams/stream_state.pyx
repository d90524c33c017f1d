"""What an image or publication is doing."""
