"""The states of images and publications."""
